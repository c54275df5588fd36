import type { ChromiumTab } from './driver/chromium-only.ts'
import type { FormLab } from './form-lab.ts'

/** Forms send as they say by themselves. */
export const NATIVE = { send: 'native' }

/** The fields that the server of the tests wants. */
export const ORDER = '<input name="item"><input name="address">'

/** A form of the test's own, `#own`, in the page `form`. */
export interface OwnForm {
  /** Makes and binds it; `prepare` is the body of a function of the form. */
  install(tab: ChromiumTab, fields: string, prepare?: string): Promise<void>
  /** Types tea and Berlin into {@link ORDER}. */
  fillOwn(tab: ChromiumTab): Promise<void>
  isIn(tab: ChromiumTab, state: string): Promise<unknown>
  /** What it would send: `item=tea`. */
  entries(tab: ChromiumTab): Promise<readonly string[]>
  /** A new page with the same form, which shows this state. */
  again(tab: ChromiumTab, fields: string, prepare: string, state: string): Promise<void>
  /** Fills it in and sends it, so that nobody knows; and is in a new page with the same form. */
  interrupt(
    fields: string,
    prepare: string,
    act: (tab: ChromiumTab) => Promise<unknown>,
  ): Promise<{ readonly tab: ChromiumTab; readonly before: readonly string[] }>
}

export function oneOwnForm({
  lab,
  url,
  openPage,
}: Pick<FormLab, 'lab' | 'url' | 'openPage'>): OwnForm {
  const own: OwnForm = {
    install: (tab, fields, prepare = '') =>
      tab.evaluate(
        (fields, prepare) => {
          const buttons = `<button id="go">Order</button><button type="reset" id="clear">Clear</button>`
          const html = `<form id="own" action="/api/orders" method="post">${fields}${buttons}</form>`
          document.querySelector('main')?.insertAdjacentHTML('beforeend', html)
          const form = document.querySelector<HTMLFormElement>('#own')
          if (!form) return
          new Function('form', prepare)(form)
          window.page.bind(form, 'own', { operation: 'own' })
        },
        fields,
        prepare,
      ),
    async fillOwn(tab) {
      await tab.type('#own [name=item]', 'tea')
      await tab.type('#own [name=address]', 'Berlin')
    },
    isIn: (tab, state) =>
      tab.waitFor(
        state => document.querySelector(`#own[data-sendonce-state=${state}]`) !== null,
        state,
      ),
    entries: tab =>
      tab.evaluate(() =>
        [...new FormData(document.querySelector<HTMLFormElement>('#own') ?? undefined)].map(
          ([name, value]) => `${name}=${value}`,
        ),
      ),
    async again(tab, fields, prepare, state) {
      await tab.open(url(NATIVE))
      await tab.waitFor(() => window.page !== undefined)
      await own.install(tab, fields, prepare)
      await own.isIn(tab, state)
    },
    async interrupt(fields, prepare, act) {
      const tab = await openPage(NATIVE)
      await own.install(tab, fields, prepare)
      await act(tab)
      lab().server.next('hang-after-effect')
      await tab.evaluate(() => document.querySelector<HTMLElement>('#go')?.focus())
      const before = await own.entries(tab)
      await tab.press('Enter')
      await lab().arrived(1)
      await own.again(tab, fields, prepare, 'unknown')
      return { tab, before }
    },
  }
  return own
}
