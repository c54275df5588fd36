import type { ChromiumTab } from './driver/chromium-only.ts'
import type { HeldLab } from './held-lab.ts'
import { oneHeldLab } from './held-lab.ts'

/** What the page `hook` is to be like: see its `Settings`. */
export type Settings = Readonly<Record<string, string>>

export interface HookLab extends HeldLab {
  urlOf(settings: Settings): string
  openPage(settings?: Settings): Promise<ChromiumTab>
  /** An order of which nobody knows, and a page that comes after the one that died with it. */
  openInterrupted(settings?: Settings): Promise<ChromiumTab>
}

/** The laboratory for the page `hook`: call it once, at the top. */
export function oneHookLab(): HookLab {
  const held = oneHeldLab({
    routes: { '/api/orders': {}, '/api/bookings': { mechanisms: ['token'] } },
  })
  const { lab } = held

  const urlOf = (settings: Settings) =>
    new URL(`hook.html?${new URLSearchParams(settings)}`, lab().url()).href

  async function openPage(settings: Settings = {}): Promise<ChromiumTab> {
    const tab = await lab().browser.newTab(urlOf(settings))
    await tab.waitFor(() => document.querySelector('form') !== null)
    return tab
  }

  return {
    ...held,
    urlOf,
    openPage,
    async openInterrupted(settings = {}) {
      const tab = await openPage()
      await fill(tab)
      lab().server.next('hang-after-effect')
      await tab.click('button')
      await lab().arrived(1)
      // Not left for another page: it would live on in the back-forward cache.
      await tab.close()
      return openPage(settings)
    },
  }
}

/** Fills the form so that the server takes it. */
export async function fill(tab: ChromiumTab, item = 'tea', address = 'Berlin'): Promise<void> {
  await tab.type('[name=item]', item)
  await tab.type('[name=address]', address)
}

/** Resolves when the form says so; `succeeded`, `unknown: interrupted`. */
export const shows = (tab: ChromiumTab, state: string): Promise<boolean> =>
  tab.waitFor(state => document.querySelector('output')?.textContent === state, state)

/** What the callbacks were told; a success is written down first. */
export const told = (tab: ChromiumTab): Promise<string[]> =>
  tab.evaluate(async () => {
    if (document.querySelector('output')?.textContent === 'succeeded') {
      await window.hook.client?.idle()
      await new Promise(resolve => setTimeout(resolve))
    }
    return window.hook.told
  })

export const isBusy = (tab: ChromiumTab): Promise<string | null | undefined> =>
  tab.evaluate(() => document.querySelector('button')?.getAttribute('aria-disabled'))

/** What is in the two fields. */
export const typed = (tab: ChromiumTab): Promise<string[]> =>
  tab.evaluate(() =>
    ['item', 'address'].map(
      name => document.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? '',
    ),
  )

/** Resolves when the page has nothing more to do. */
export const idle = (tab: ChromiumTab): Promise<void> =>
  tab.evaluate(async () => {
    await window.hook.client?.idle()
  })

/** Resolves when the form is out of sight. */
export const hasGone = (tab: ChromiumTab): Promise<unknown> =>
  tab.waitFor(() => {
    const form = document.querySelector('form')
    return !form || getComputedStyle(form).display === 'none'
  })
