import { setTimeout as pause } from 'node:timers/promises'
import { aimAt, requireVisible } from './aim.ts'
import { arriveBy } from './back.ts'
import type { Arrival, Key, Repeat, Tab } from './driver.ts'
import { pollUntil } from './poll.ts'
import type { ActionSource } from './webdriver-actions.ts'
import { clicks, keystrokes, presses } from './webdriver-actions.ts'
import type { Look } from './webkit-evaluation.ts'
import { begin, lookAt } from './webkit-evaluation.ts'
import type { Session } from './webkit-session.ts'

/** How often a page is asked whether a promise is settled: a question takes some milliseconds. */
const LOOK_AGAIN_MS = 10

/** A tab of WebKitGTK over WebDriver. */
export class WebKitTab implements Tab {
  readonly #session: Session
  readonly #window: string
  readonly #onClose: () => void
  #errors: string[] = []
  #calls = 0

  constructor(session: Session, window: string, onClose: () => void) {
    this.#session = session
    this.#window = window
    this.#onClose = onClose
  }

  async open(url: string): Promise<void> {
    await this.#leave('/url', { url })
  }

  async reload(): Promise<void> {
    await this.#leave('/refresh')
  }

  back(): Promise<Arrival> {
    return arriveBy(this, () => this.#leave('/back'))
  }

  async show(): Promise<void> {
    await this.evaluate(() => {
      const { webkit } = window as Window & {
        webkit?: { messageHandlers: { show: { postMessage(message: string): void } } }
      }
      webkit?.messageHandlers.show.postMessage('')
    })
    await this.waitFor(() => document.visibilityState === 'visible')
  }

  async close(): Promise<void> {
    this.#onClose()
    await this.#session.closeWindow(this.#window)
  }

  async click(selector: string, times?: Repeat): Promise<void> {
    await this.#perform(clicks(await aimAt(this, selector), times))
  }

  async press(key: Key, times?: Repeat): Promise<void> {
    await this.evaluate(requireVisible)
    await this.#perform(presses(key, times))
  }

  async type(selector: string, text: string): Promise<void> {
    await this.evaluate(selector => {
      const field = document.querySelector<HTMLInputElement>(selector)
      if (!field) throw new Error(`Nothing on the page matches ${selector}.`)
      field.focus()
      if (field.type === 'text') field.setSelectionRange(field.value.length, field.value.length)
    }, selector)
    await this.#perform(keystrokes(text))
  }

  async evaluate<Args extends unknown[], Result>(
    run: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    this.#calls += 1
    const id = this.#calls
    let look = await this.#run(`return (${begin})(() => (${run})(...arguments[0]), ${id})`, [args])
    while (!look.settled) {
      if (look.gone) throw new Error('The context of the page is gone: it was left.')
      await pause(LOOK_AGAIN_MS)
      look = await this.#run(`return (${lookAt})(${id})`)
    }
    const { json, error } = look.settled
    if (error !== undefined) throw new Error(error)
    return (json === undefined ? undefined : JSON.parse(json)) as Awaited<Result>
  }

  waitFor<Args extends unknown[], Result>(
    check: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    return pollUntil(this, check, args)
  }

  takeErrors(): readonly string[] {
    return this.#errors.splice(0)
  }

  async #run(script: string, args: readonly unknown[] = []): Promise<Look> {
    const look = await this.#session.send<Look>(this.#window, '/execute/sync', { script, args })
    this.#errors.push(...look.errors)
    return look
  }

  async #leave(path: string, body?: object): Promise<void> {
    // Before a page goes it is asked for its errors too, which go with it.
    const left = await this.evaluate(() => performance.timeOrigin)
    await this.#session.send(this.#window, path, body)
    // The command may have waited for the blank page that a new tab begins with.
    await this.waitFor(
      left => performance.timeOrigin !== left && document.readyState === 'complete',
      left,
    )
  }

  async #perform(source: ActionSource): Promise<void> {
    await this.#session.send(this.#window, '/actions', { actions: [source] })
  }
}
