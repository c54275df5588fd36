import type { CDPSession } from 'puppeteer-core'
import type { Arrival, Browser, Tab } from './driver.ts'

/** Chromium: every host name that ends in `.test` is this machine, which makes insecure origins and second sites. */
export interface ChromiumBrowser extends Browser {
  readonly engine: 'chromium'
  readonly tabs: readonly ChromiumTab[]
  newTab(url?: string): Promise<ChromiumTab>
  /** Opens a tab behind the others that no debugger looks at: Chromium discards no other. */
  openUnwatched(url: string): Promise<UnwatchedTab>
  /** Deletes all cookies: they go to every port of a host, and so to what other tests serve there. */
  clearCookies(): Promise<void>
}

/** What becomes of its page only a server sees, and other tabs. */
export interface UnwatchedTab {
  /** As Chromium does where memory is short: the page is gone without an event, and is loaded anew. */
  discard(): Promise<void>
  close(): Promise<void>
}

/** What only Chromium can do to a tab. A test that uses it runs in no other engine. */
export interface ChromiumTab extends Tab {
  /** For what is not worth a method (quota, network conditions): https://chromedevtools.github.io/devtools-protocol */
  readonly cdp: CDPSession
  /** Makes the page's processor that many times slower; 1 is full speed. */
  throttleCpu(factor: number): Promise<void>
  /** Stops the page's timers and replies as a phone does; resolves once the page had its `freeze` event. */
  freeze(): Promise<void>
  /** Resolves once the page had its `resume` event. */
  unfreeze(): Promise<void>
  /** Ends the page's process without any event. Only `close` is left to do with the tab. */
  crash(): Promise<void>
  /** Cuts this tab's network: `navigator.onLine` is false and new requests fail; those under way go on. */
  goOffline(): Promise<void>
  goOnline(): Promise<void>
  back(): Promise<ChromiumArrival>
}

export interface ChromiumArrival extends Arrival {
  /** Why the page could not come from the back-forward cache, in Chromium's words; empty if it did. */
  readonly reasons: readonly string[]
}
