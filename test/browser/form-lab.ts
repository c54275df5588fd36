import type { ChromiumTab } from './driver/chromium-only.ts'
import type { HeldLab } from './held-lab.ts'
import { oneHeldLab } from './held-lab.ts'

/** The laboratory, with the page `form` in it. */
export interface FormLab extends HeldLab {
  url(settings?: Readonly<Record<string, string>>): string
  openPage(settings?: Readonly<Record<string, string>>): Promise<ChromiumTab>
  /** An order of which nobody knows, and the page after it was reloaded. */
  openInterrupted(): Promise<ChromiumTab>
}

/** Call it once, at the top of a file. */
export function oneFormLab(): FormLab {
  const held = oneHeldLab()
  const { lab } = held

  const url: FormLab['url'] = (settings = {}) =>
    new URL(`form.html?${new URLSearchParams(settings)}`, lab().url()).href

  const openPage: FormLab['openPage'] = async settings => {
    const tab = await lab().browser.newTab(url(settings))
    await tab.waitFor(() => window.page !== undefined)
    return tab
  }

  return {
    ...held,
    url,
    openPage,
    async openInterrupted() {
      const tab = await openPage()
      await fill(tab)
      lab().server.next('hang-after-effect')
      await tab.click('[value=order]')
      await lab().arrived(1)
      await tab.reload()
      await shows(tab, 'unknown')
      return tab
    },
  }
}

/** Resolves when the first form is in this state. */
export const shows = (tab: ChromiumTab, state: string): Promise<unknown> =>
  tab.waitFor(
    state => document.querySelector('#first')?.getAttribute('data-sendonce-state') === state,
    state,
  )

/** What the status region says. */
export const message = (tab: ChromiumTab): Promise<string | null | undefined> =>
  tab.evaluate(() => document.querySelector('[data-sendonce-status]')?.textContent)

/** What the callbacks were told; a success is written down first. */
export const told = (tab: ChromiumTab): Promise<readonly string[]> =>
  tab.evaluate(async () => {
    if (document.querySelector('[data-sendonce-state=succeeded]')) {
      await window.page.client.idle()
      await new Promise(resolve => setTimeout(resolve))
    }
    return window.page.told
  })

/** What is in the text fields of the first form. */
export const typed = (tab: ChromiumTab): Promise<readonly string[]> =>
  tab.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('#first label > input:not([type])')].map(
      ({ value }) => value,
    ),
  )

/** The buttons that a person sees and can use. */
export const buttons = (tab: ChromiumTab): Promise<readonly string[]> =>
  tab.evaluate(() =>
    ['resume', 'recover', 'discard'].filter(name => {
      const button = document.querySelector(`[data-sendonce-${name}]`)
      return button?.checkVisibility({ visibilityProperty: true }) && !button.ariaDisabled
    }),
  )

/** By what it says, or its name. */
export const focused = (tab: ChromiumTab): Promise<string | null | undefined> =>
  tab.evaluate(() => {
    const is = document.activeElement as HTMLInputElement
    return is.textContent || is.name
  })

/** Fills the first form so that the server takes it. */
export async function fill(tab: ChromiumTab, form = '#first'): Promise<void> {
  await tab.type(`${form} [name=item]`, 'tea')
  await tab.type(`${form} [name=address]`, 'Berlin')
}

/** Resolves when a form that has succeeded is empty, if it is going to be. */
export async function emptied(tab: ChromiumTab): Promise<void> {
  const afterMs = 1_000
  await tab.evaluate(afterMs => {
    Object.assign(window, { emptied: false })
    setTimeout(() => Object.assign(window, { emptied: true }), afterMs)
  }, afterMs)
  await tab.waitFor(() => Reflect.get(window, 'emptied'))
}
