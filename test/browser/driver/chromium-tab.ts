import { setTimeout as pause } from 'node:timers/promises'
import type { CDPSession, Page, Protocol } from 'puppeteer-core'
import { aimAt, requireVisible } from './aim.ts'
import type { ChromiumArrival, ChromiumTab } from './chromium-only.ts'
import type { Key, Repeat } from './driver.ts'
import { PuppeteerTab } from './puppeteer-tab.ts'

declare global {
  interface Window {
    /** Whether the page had the lifecycle event that the driver waits for. */
    driverHeard?: boolean
  }
}

/** https://www.w3.org/TR/uievents-key, uievents-code; without its `text` Enter submits no form. */
const KEYS = {
  Enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
  Tab: { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
  Escape: { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 },
} as const satisfies Record<Key, object>

/** Pages see time in steps of 0.1 ms (https://www.w3.org/TR/hr-time-3/#dfn-coarsen-time): two readings, two steps. */
const PAGE_CLOCK_GRAIN_MS = 0.2

/** A Chromium tab over CDP. Opened by {@link CdpTab.attach}, since a session has to be asked for. */
export class CdpTab extends PuppeteerTab implements ChromiumTab {
  readonly cdp: CDPSession

  static async attach(page: Page): Promise<CdpTab> {
    const cdp = await page.createCDPSession()
    await Promise.all([cdp.send('Page.enable'), cdp.send('Inspector.enable')])
    return new CdpTab(page, cdp)
  }

  private constructor(page: Page, cdp: CDPSession) {
    super(page)
    this.cdp = cdp
  }

  async click(selector: string, times?: Repeat): Promise<void> {
    const at = await aimAt(this, selector)
    const mouse = (type: Protocol.Input.DispatchMouseEventRequest['type'], clickCount: number) =>
      this.cdp.send('Input.dispatchMouseEvent', { ...at, type, button: 'left', clickCount })
    await this.#repeat(
      n => mouse('mousePressed', n),
      n => mouse('mouseReleased', n),
      times,
    )
  }

  async press(key: Key, times?: Repeat): Promise<void> {
    await this.evaluate(requireVisible)
    await this.#repeat(
      () => this.cdp.send('Input.dispatchKeyEvent', { type: 'keyDown', ...KEYS[key] }),
      () => this.cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...KEYS[key] }),
      times,
    )
  }

  /** Nothing waits for the page here: a slow page gets its events queued, as it does from a user. */
  async #repeat(
    down: (n: number) => Promise<void>,
    up: (n: number) => Promise<void>,
    { times = 1, gapMs = 0 }: Repeat = {},
  ): Promise<void> {
    const handled: Promise<void>[] = []
    for (let n = 1; n <= times; n++) {
      if (n > 1 && gapMs > 0) await this.#gap(gapMs)
      handled.push(down(n), up(n))
    }
    await Promise.all(handled)
  }

  async #gap(ms: number): Promise<void> {
    // Answered by the browser's own process, in order: the release before it has its time stamp by then.
    await this.cdp.send('Page.getNavigationHistory')
    const end = performance.now() + ms + PAGE_CLOCK_GRAIN_MS
    // A timer of Node may fire up to a millisecond early.
    for (let left = ms; left > 0; left = end - performance.now()) await pause(left)
  }

  async back(): Promise<ChromiumArrival> {
    const { currentIndex, entries } = await this.cdp.send('Page.getNavigationHistory')
    const previous = entries[currentIndex - 1]
    if (!previous) throw new Error(`There is no page before ${entries[currentIndex]?.url}.`)

    let reasons: readonly string[] = []
    const note = (event: Protocol.Page.BackForwardCacheNotUsedEvent) => {
      reasons = event.notRestoredExplanations.map(({ reason }) => reason)
    }
    this.cdp.on('Page.backForwardCacheNotUsed', note)
    try {
      const arrived = new Promise<boolean>(resolve => {
        const hear = ({ frame, type }: Protocol.Page.FrameNavigatedEvent) => {
          if (frame.parentId) return
          this.cdp.off('Page.frameNavigated', hear)
          resolve(type === 'BackForwardCacheRestore')
        }
        this.cdp.on('Page.frameNavigated', hear)
      })
      await this.cdp.send('Page.navigateToHistoryEntry', { entryId: previous.id })
      const fromCache = await arrived
      await this.waitFor(() => document.readyState === 'complete')
      return { fromCache, reasons }
    } finally {
      this.cdp.off('Page.backForwardCacheNotUsed', note)
    }
  }

  async throttleCpu(factor: number): Promise<void> {
    await this.cdp.send('Emulation.setCPUThrottlingRate', { rate: factor })
  }

  async freeze(): Promise<void> {
    await this.evaluate(() => {
      if (document.visibilityState === 'visible')
        throw new Error('A visible tab does not freeze: bring another one to the front first.')
    })
    await this.#lifecycle('frozen', 'freeze')
  }

  async unfreeze(): Promise<void> {
    await this.#lifecycle('active', 'resume')
  }

  /** Chromium may refuse a change of state without an error, so that only the event proves it. */
  async #lifecycle(state: 'frozen' | 'active', event: 'freeze' | 'resume'): Promise<void> {
    // Asked for afterwards, from outside: what a frozen page promises may not come.
    await this.evaluate(event => {
      window.driverHeard = false
      const hear = () => {
        window.driverHeard = true
      }
      document.addEventListener(event, hear, { once: true })
    }, event)
    await this.cdp.send('Page.setWebLifecycleState', { state })
    await this.waitFor(() => window.driverHeard)
  }

  async crash(): Promise<void> {
    const crashed = new Promise<void>(resolve => {
      this.cdp.once('Inspector.targetCrashed', () => resolve())
    })
    // A page that is gone answers no command.
    this.cdp.send('Page.crash').catch(() => {})
    await crashed
  }

  async goOffline(): Promise<void> {
    await this.#network({ offline: true })
  }

  async goOnline(): Promise<void> {
    await this.#network({ offline: false })
  }

  async #network({ offline }: { readonly offline: boolean }): Promise<void> {
    // Without it the emulation is accepted and has no effect.
    await this.cdp.send('Network.enable')
    const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 }
    await this.cdp.send('Network.emulateNetworkConditions', { offline, ...unlimited })
  }
}
