/** Stops what was started. */
export type Stop = () => void

/** Lets a Web Lock go; calling it again does nothing. */
export type Release = () => void

/**
 * Everything that the library asks of the machine, and nothing else does: one object per client, so that a test can run
 * several pages in one process and stop one of them dead. The members look globals up when they are called, never
 * when this module loads: a reference taken at import keeps the original for ever, past fake timers and late polyfills.
 */
export interface Platform {
  /** Wall clock, milliseconds since 1970. Jumps with the user and with NTP; the only clock that two tabs share. */
  now(): number
  /** Milliseconds since some start, never backwards, meaningless outside this page. */
  monotonic(): number
  /** From 0 up to, not including, 1. For jitter only. */
  random(): number
  /** Calls back after `ms` milliseconds; the caller keeps `ms` below {@link MAX_TIMER_MS}. */
  timer(ms: number, run: () => void): Stop
  fetch: typeof globalThis.fetch
  /**
   * Takes an exclusive Web Lock if it is free. Resolves with its release, or with undefined when somebody has it. The
   * lock is let go by itself in `pagehide`: a page in the back-forward cache must not keep others waiting. The member
   * is undefined where the browser has no Web Locks (plain http).
   */
  readonly tryLock: ((name: string) => Promise<Release | undefined>) | undefined
  /** Which of these locks are held, in any tab. Only where `tryLock` is. */
  heldLocks(): Promise<ReadonlySet<string>>
  /** A channel to the other tabs; posting reaches all pages but this one. */
  channel(
    name: string,
    hear: (message: unknown) => void,
  ): { post(message: unknown): void; close: Stop }
  /** A hint only: `true` is said with virtual adapters, `false` with working ones. */
  online(): boolean
  /** On screen, or at least not hidden, and not a prerender that nobody has visited. */
  visible(): boolean
  /**
   * `online`: the network may be back. `visible`: the page came on screen. `hide`: it leaves for the back-forward
   * cache, where nothing of it runs. `show`: it came back from there.
   */
  on(event: 'online' | 'visible' | 'hide' | 'show', hear: () => void): Stop
  /**
   * Short notes that all tabs read and write at once, for what must be written in `pagehide`, when no transaction gets to
   * its end. Does nothing where the browser denies it.
   */
  readonly notes: {
    get(name: string): string | undefined
    set(name: string, value: string | undefined): void
  }
  /** For SHA-256, and for HMAC with it under keys that cannot be read out; undefined on plain http. */
  readonly subtle: Pick<SubtleCrypto, 'digest' | 'generateKey' | 'sign'> | undefined
}

/** `setTimeout` of more than this fires at once (measured): 2^31 - 1 ms, 24.8 days. */
export const MAX_TIMER_MS = 0x7fffffff
