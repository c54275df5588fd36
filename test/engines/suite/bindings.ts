import { describe, expect, it } from 'vitest'
import type { Browser, Tab } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'

/** The pages, how they say what they are at, and their button. */
const pages = [
  ['bindForm', 'form.html', '#first', '[value=order]'],
  ['the hook of React', 'hook.html', '#first', 'button'],
] as const

export function bindsForms(lab: () => Lab<Browser>): void {
  describe.each(pages)('a form with %s', (_title, page, form, button) => {
    /** Waits exactly so long between two attempts, of which the hook makes two. */
    async function open(waitMs: number): Promise<Tab> {
      const settings = new URLSearchParams({ baseDelayMs: String(waitMs), wait: String(waitMs) })
      const tab = await lab().browser.newTab(new URL(`${page}?${settings}`, lab().url()).href)
      await tab.waitFor(form => document.querySelector(form) !== null, form)
      await tab.evaluate(() => {
        Math.random = () => 1
      })
      return tab
    }

    async function fill(tab: Tab): Promise<void> {
      await tab.type(`${form} [name=item]`, 'tea')
      await tab.type(`${form} [name=address]`, 'Berlin')
    }

    const shows = (tab: Tab, state: string) =>
      tab.waitFor(
        (form, state) => {
          const bound = document.querySelector<HTMLElement>(form)
          const is = bound?.dataset.sendonceState ?? bound?.querySelector('output')?.textContent
          return is?.startsWith(state)
        },
        form,
        state,
      )

    it('is one order by a double click whose reply is lost', async () => {
      const tab = await open(1_000)
      await fill(tab)
      // Not only once: what a broken connection has swallowed the browser repeats without a word to the page.
      lab().server.next('lose-reply', { share: 1 })
      await tab.click(button, { times: 2 })
      await lab().arrived(1)
      lab().server.clearFaults()
      await shows(tab, 'succeeded')
      expect(lab().orders()).toHaveLength(1)
      expect(lab().keys()).toHaveLength(1)
      expect(lab().bodies()).toHaveLength(1)
    })

    it('keeps what was typed when it is reloaded in mid-flight, and sends it again', async () => {
      // Firefox and WebKit tell a page that is being left that its request failed: not so soon to the next attempt.
      const tab = await open(2_000)
      await fill(tab)
      lab().server.next('hang-after-effect')
      await tab.click(button)
      await lab().arrived(1)
      await tab.reload()
      await shows(tab, 'unknown')
      const typed = await tab.evaluate(
        form =>
          ['item', 'address'].map(
            name => document.querySelector<HTMLInputElement>(`${form} [name=${name}]`)?.value,
          ),
        form,
      )
      expect(typed).toEqual(['tea', 'Berlin'])
      await tab.click(button)
      await shows(tab, 'succeeded')
      expect(lab().orders()).toHaveLength(1)
      expect(lab().keys()).toHaveLength(1)
      expect(lab().bodies()).toHaveLength(1)
    })
  })
}
