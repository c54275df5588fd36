import type { CDPSession } from 'puppeteer-core'
import type { ChromiumTab, UnwatchedTab } from './chromium-only.ts'

/** In the address of a tab that Puppeteer is to leave alone; it attaches a debugger to every other. */
const MARK = '#unwatched'

export const isWatched = (target: { url(): string }) => !target.url().endsWith(MARK)

/** For the file `Local State` of a new profile: `chrome://discards` is for developers, and does nothing without it. */
export const DEVELOPERS_PAGES = JSON.stringify({ internal_only_uis_enabled: true })

export async function openUnwatched(
  session: CDPSession,
  newTab: (url: string) => Promise<ChromiumTab>,
  page: string,
): Promise<UnwatchedTab> {
  const url = page + MARK
  await session.send('Target.createTarget', { url })
  return {
    async discard() {
      const list = await newTab('chrome://discards')
      await list.waitFor(inRow, url, '[Urgent Discard]', 'press' as const)
      await list.waitFor(inRow, url, 'discarded (urgent)', 'find' as const)
      await list.close()
    },
    async close() {
      // One that was discarded is another target.
      const { targetInfos } = await session.send('Target.getTargets')
      const found = targetInfos.filter(each => each.url === url)
      await Promise.all(
        found.map(({ targetId }) => session.send('Target.closeTarget', { targetId })),
      )
      await session.detach()
    },
  }
}

/** Runs in `chrome://discards`, which is made of web components. Whether the text is there in the row of a tab. */
function inRow(url: string, text: string, act: 'press' | 'find'): boolean {
  const within = (root: ParentNode): readonly HTMLElement[] =>
    [...root.querySelectorAll<HTMLElement>('*')].flatMap(each => [
      each,
      ...(each.shadowRoot ? within(each.shadowRoot) : []),
    ])
  const row = within(document).find(each => each.matches('tr') && each.textContent.includes(url))
  const found = row && within(row).findLast(({ textContent }) => textContent.includes(text))
  if (act === 'press') found?.click()
  return found !== undefined
}
