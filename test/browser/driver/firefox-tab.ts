import type { Frame } from 'puppeteer-core'
import { aimAt, requireVisible } from './aim.ts'
import { arriveBy } from './back.ts'
import type { Arrival, Key, Repeat } from './driver.ts'
import { limited } from './limited.ts'
import { PuppeteerTab } from './puppeteer-tab.ts'
import type { ActionSource } from './webdriver-actions.ts'
import { clicks, presses } from './webdriver-actions.ts'

/** Puppeteer's own calls make no pauses, and each begins to count clicks anew; its types hide the command itself. */
interface BidiFrame {
  readonly browsingContext: { performActions(sources: readonly ActionSource[]): Promise<void> }
}

/** A Firefox tab over WebDriver BiDi. */
export class FirefoxTab extends PuppeteerTab {
  async back(): Promise<Arrival> {
    return arriveBy(this, () => {
      // Puppeteer waits for a page that loads, and one from the cache does not.
      this.page.goBack({ timeout: 1 }).catch(() => {})
    })
  }

  async click(selector: string, times?: Repeat): Promise<void> {
    await this.#perform(clicks(await aimAt(this, selector), times))
  }

  async press(key: Key, times?: Repeat): Promise<void> {
    await this.evaluate(requireVisible)
    await this.#perform(presses(key, times))
  }

  override async evaluate<Args extends unknown[], Result>(
    run: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>> {
    // As JSON: over BiDi an object that comes twice in a result comes once.
    const source = `(async () => JSON.stringify(await (${run})(...${JSON.stringify(args)})))()`
    const json = await limited(this.page.evaluate(source), () => `the end of ${run}`)
    return (json === undefined ? undefined : JSON.parse(String(json))) as Awaited<Result>
  }

  async goOffline(): Promise<void> {
    await this.page.setOfflineMode(true)
  }

  async goOnline(): Promise<void> {
    await this.page.setOfflineMode(false)
  }

  async #perform(source: ActionSource): Promise<void> {
    const frame: Frame & Partial<BidiFrame> = this.page.mainFrame()
    const done = frame.browsingContext?.performActions([source])
    await limited(Promise.resolve(done), () => `the end of ${JSON.stringify(source)}`)
  }
}
