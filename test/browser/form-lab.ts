import type { ChromiumTab } from './driver/chromium-only.ts'
import type { Lab } from './lab.ts'
import { oneLab } from './lab.ts'

/** How long an answer takes that is held; only {@link FormLab.answer} makes that time pass. */
const HELD_MS = 10_000

/** The laboratory, with the page `form` in it. */
export interface FormLab {
  readonly lab: () => Lab
  url(settings?: Readonly<Record<string, string>>): string
  openPage(settings?: Readonly<Record<string, string>>): Promise<ChromiumTab>
  /** The next order is placed at once; its answer waits for {@link answer}. */
  hold(): void
  /** Resolves when the answer is on its way. */
  answer(): Promise<void>
  /** An order of which nobody knows, and the page after it was reloaded. */
  openInterrupted(): Promise<ChromiumTab>
}

/** Call it once, at the top of a file. */
export function oneFormLab(): FormLab {
  let heldMs = 0
  let held: (() => void)[] = []
  let hear = () => {}

  const lab = oneLab({
    server: {
      now: () => Date.now() + heldMs,
      timer: (_ms, run) => {
        held.push(run)
        hear()
        return () => {}
      },
    },
  })

  const url: FormLab['url'] = (settings = {}) =>
    new URL(`form.html?${new URLSearchParams(settings)}`, lab().url()).href

  const openPage: FormLab['openPage'] = async settings => {
    const tab = await lab().browser.newTab(url(settings))
    await tab.waitFor(() => window.page !== undefined)
    return tab
  }

  return {
    lab,
    url,
    openPage,
    hold() {
      held = []
      lab().server.next({ is: 'slow-reply', ms: HELD_MS })
    },
    async answer() {
      if (held.length === 0) {
        await new Promise<void>(resolve => {
          hear = resolve
        })
      }
      heldMs += HELD_MS
      for (const run of held) run()
    },
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

export const told = (tab: ChromiumTab): Promise<readonly string[]> =>
  tab.evaluate(() => window.page.told)

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

/** Resolves when it is on disk that somebody was told of the success. */
export const noted = (tab: ChromiumTab): Promise<unknown> =>
  tab.waitFor(async () => {
    const opening = indexedDB.open('sendonce')
    const database = await new Promise<IDBDatabase>(resolve => {
      opening.onsuccess = () => resolve(opening.result)
    })
    const [store = ''] = database.objectStoreNames
    const reading = database.transaction(store).objectStore(store).getAll()
    const records = await new Promise<readonly { readonly toldAt?: number }[]>(resolve => {
      reading.onsuccess = () => resolve(reading.result)
    })
    database.close()
    return records.some(({ toldAt }) => toldAt !== undefined)
  })

/** Resolves when a form that has succeeded is empty, if it is going to be. */
export async function emptied(tab: ChromiumTab): Promise<void> {
  const afterMs = 1_000
  await tab.evaluate(afterMs => {
    Object.assign(window, { emptied: false })
    setTimeout(() => Object.assign(window, { emptied: true }), afterMs)
  }, afterMs)
  await tab.waitFor(() => Reflect.get(window, 'emptied'))
}
