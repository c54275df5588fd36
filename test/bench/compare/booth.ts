import { launchChromium } from '../../browser/driver/chromium.ts'
import type { ChromiumBrowser, ChromiumTab } from '../../browser/driver/chromium-only.ts'
import { ensureChromium } from '../../support/chromium.ts'
import type { Arm } from './arms.ts'
import { pathOf } from './arms.ts'
import type { Shop, Stall } from './shop.ts'

/** An arm with a browser of its own, on a profile of its own on disk: nothing of one is seen by another. */
export class Booth {
  readonly arm: Arm
  readonly stall: Stall
  readonly #browser: ChromiumBrowser
  readonly #origin: string
  #tab: ChromiumTab

  private constructor(arm: Arm, shop: Shop, browser: ChromiumBrowser, tab: ChromiumTab) {
    this.arm = arm
    this.stall = shop.stall(pathOf(arm))
    this.#tab = tab
    this.#browser = browser
    this.#origin = shop.origin
  }

  static async open(arm: Arm, shop: Shop): Promise<Booth> {
    const browser = await launchChromium({ executablePath: ensureChromium() })
    const booth = new Booth(arm, shop, browser, await browser.newTab())
    await booth.visit(0)
    return booth
  }

  get tab(): ChromiumTab {
    return this.#tab
  }

  /**
   * Ends the page and its process at once. A tab that is closed instead loses its offline emulation first, and its page
   * goes online for a moment.
   */
  async leave(): Promise<void> {
    const left = this.#tab
    await left.crash()
    this.#tab = await this.#browser.newTab()
    await left.close()
  }

  /** Opens the page at the form of a cart. */
  async visit(cart: number): Promise<void> {
    const { option } = this.arm
    const query = option ? `cart=${cart}&${option}` : `cart=${cart}`
    await this.tab.open(`${this.#origin}/${pathOf(this.arm)}/?${query}`)
    await this.isOpen()
  }

  async isOpen(): Promise<void> {
    await this.tab.waitFor(() => 'shop' in window)
    // A connection that was opened ahead counts as used before, and the browser would repeat a POST on it by itself.
    await this.tab.evaluate(async () => {
      for (let n = 0; n < 3; n += 1) await (await fetch('/modules/times.js')).text()
    })
  }

  /**
   * Tells a service worker that there is a network again, as a browser does. Chromium would not: the machine had one all
   * the time. https://developer.chrome.com/docs/workbox/modules/workbox-background-sync#testing_workbox_background_sync
   */
  async sync(): Promise<void> {
    if (this.arm.page !== 'workbox') return
    const { cdp } = this.tab
    const registrationId = await new Promise<string>(resolve => {
      cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
        if (first) resolve(first.registrationId)
      })
      void cdp.send('ServiceWorker.enable')
    })
    await cdp.send('ServiceWorker.dispatchSyncEvent', {
      origin: this.#origin,
      registrationId,
      tag: 'workbox-background-sync:orders',
      lastChance: false,
    })
    await cdp.send('ServiceWorker.disable')
  }

  close(): Promise<void> {
    return this.#browser.close()
  }
}
