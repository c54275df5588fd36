/**
 * What a test asks of a browser, whatever its engine. Each engine is one adapter; what only one engine can do is listed
 * in the interface of its adapter ({@link import('./chromium-only.ts').ChromiumTab}), so that a test says which it needs.
 */
export interface Browser {
  readonly engine: 'chromium' | 'firefox' | 'webkit'
  /** Those that are open, oldest first. */
  readonly tabs: readonly Tab[]
  /** Opens a tab in front of the others, which become hidden. All tabs share one profile, on disk. */
  newTab(url?: string): Promise<Tab>
  /** Ends every process of the browser at once (SIGKILL). The profile stays as it is on disk. */
  kill(): Promise<void>
  /** Starts again on the profile that {@link kill} left; its tabs are gone. */
  restart(): Promise<void>
  /** Ends the browser and deletes its profile. Harmless after {@link kill}. */
  close(): Promise<void>
}

/** One tab. What it does to the page is done from outside, as a user would: no event is synthetic. */
export interface Tab {
  /** Resolves after the page's `load` event. */
  open(url: string): Promise<void>
  /** Brings the tab to the front. */
  show(): Promise<void>
  reload(): Promise<void>
  /** One step back in the history, as with the button. */
  back(): Promise<Arrival>
  close(): Promise<void>
  /** Clicks the middle of an element with the left button; rejects if something covers it. */
  click(selector: string, times?: Repeat): Promise<void>
  /** Presses a key on whatever has the focus. */
  press(key: Key, times?: Repeat): Promise<void>
  /** Focuses an element and enters a text, after what it already holds. */
  type(selector: string, text: string): Promise<void>
  /**
   * Runs a function in the page and resolves with its result, which must survive JSON. The function's source is
   * sent: it sees its arguments and the page, nothing of the test. To begin something without waiting for it
   * (before a crash or a reload), let the function return nothing: `() => { void begin() }`.
   */
  evaluate<Args extends unknown[], Result>(
    run: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>>
  /**
   * Asks the page again and again, from outside, until the answer is truthy, and resolves with it. Works in hidden
   * tabs and across navigations; rejects after 20 s.
   */
  waitFor<Args extends unknown[], Result>(
    check: (...args: Args) => Result,
    ...args: Args
  ): Promise<Awaited<Result>>
  /**
   * The `console.error`s, uncaught errors and unhandled rejections since the last call. A failed request is not
   * among them: tests fail requests on purpose.
   */
  takeErrors(): readonly string[]
}

/** Twice makes a double click. */
export interface Repeat {
  /** @default 1 */
  readonly times?: number
  /** From one release to the next press, in milliseconds as events tell it; never less. @default 0 */
  readonly gapMs?: number
}

/** How a page came back: alive, from the back-forward cache, or loaded anew. */
export interface Arrival {
  readonly fromCache: boolean
}

export type Key = 'Enter' | 'Space' | 'Tab' | 'Escape'
