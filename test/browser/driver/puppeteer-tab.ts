import type { Page } from 'puppeteer-core'
import type { Arrival, Key, Repeat, Tab } from './driver.ts'
import { pollUntil } from './poll.ts'

/** The part of a tab that puppeteer does alike over CDP (Chromium) and over WebDriver BiDi (Firefox). */
export abstract class PuppeteerTab implements Tab {
  protected readonly page: Page
  #errors: string[] = []

  constructor(page: Page) {
    this.page = page
    page.on('console', message => {
      // What the browser logs by itself (a failed request) has no arguments.
      if (message.type() === 'error' && message.args().length > 0) this.#errors.push(message.text())
    })
    page.on('pageerror', error => {
      this.#errors.push((error instanceof Error && error.stack) || String(error))
    })
  }

  abstract back(): Promise<Arrival>
  abstract click(selector: string, times?: Repeat): Promise<void>
  abstract press(key: Key, times?: Repeat): Promise<void>

  async open(url: string): Promise<void> {
    await this.page.goto(url)
  }

  async show(): Promise<void> {
    await this.page.bringToFront()
  }

  async reload(): Promise<void> {
    await this.page.reload()
  }

  async close(): Promise<void> {
    await this.page.close()
  }

  async type(selector: string, text: string): Promise<void> {
    await this.page.focus(selector)
    await this.page.keyboard.type(text)
  }

  async evaluate<Args extends unknown[], Result>(
    run: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    // Puppeteer's own type is about handles of objects in the page, which nothing here passes.
    const call = run as unknown as (...args: unknown[]) => unknown
    return (await this.page.evaluate(call, ...args)) as Awaited<Result>
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
}
