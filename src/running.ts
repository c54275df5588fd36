import { deferred } from './deferred.ts'
import type { Outcome } from './lifecycle.ts'
import type { Platform, Stop } from './platform.ts'
import type { OperationRecord } from './record.ts'
import type { Ending, StopReason } from './turn.ts'

/** What a caller makes of a response. */
export type Parse = (response: Response) => unknown

/** How long a `parse` is waited for: it has all it needs, and an operation must not stay under way for ever. */
const PARSE_LIMIT_MS = 30_000

/** A `parse` that ends: what never settles counts as one that threw. */
export function limited(parse: Parse, platform: Pick<Platform, 'timer'>): Parse {
  return response => {
    let stop: Stop | undefined
    const late = new Promise<never>((_, reject) => {
      const end = () => reject(new DOMException('parse did not settle in time.', 'TimeoutError'))
      stop = platform.timer(PARSE_LIMIT_MS, end)
    })
    return Promise.race([late, Promise.resolve(parse(response))]).finally(stop)
  }
}

/** How a turn ended, and what the first caller's `parse` made of it. */
export interface Ended {
  readonly ending: Ending
  readonly outcome: Outcome<unknown>
}

/** A turn under way in this page, and everyone who waits for it. */
export class Running {
  readonly scope: string
  /** Wall clock, milliseconds since 1970. */
  readonly startedAt: number
  readonly fingerprint: Promise<string>
  /** The first caller's. */
  readonly parse: Parse | undefined
  /** The record as the loop last showed it. */
  record: OperationRecord | undefined
  /** It asks what happened, and sends nothing. */
  asks = false
  /** Attempts of this turn so far that cost one, and how many it may have. */
  spent = 0
  maxAttempts = 0
  /** The loop waits for another tab. */
  queued = false
  /** Settles when everything is written. */
  over: Promise<unknown> = Promise.resolve()
  readonly #ended = deferred<Ended>()
  readonly #controller = new AbortController()
  #callers = 0

  constructor(scope: string, startedAt: number, fingerprint: Promise<string>, parse?: Parse) {
    this.scope = scope
    this.startedAt = startedAt
    this.fingerprint = fingerprint
    this.parse = parse
    // Whoever waits is told; where nobody does, nothing is to be reported.
    fingerprint.catch(() => {})
    this.#ended.promise.catch(() => {})
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  stop(reason: StopReason): void {
    this.#controller.abort(reason)
  }

  end(ended: Ended): void {
    this.#ended.resolve(ended)
  }

  fail(error: unknown): void {
    this.#ended.reject(error)
  }

  /**
   * One caller's waiting. Its signal ends its own waiting only: resolves with undefined while others stay. When the last
   * one goes the loop is stopped, and says how that ended.
   */
  async attach(signal: AbortSignal | undefined): Promise<Ended | undefined> {
    this.#callers += 1
    const left = deferred<undefined>()
    const leave = () => {
      this.#callers -= 1
      if (this.#callers === 0) this.stop('aborted')
      else left.resolve(undefined)
    }
    signal?.addEventListener('abort', leave)
    if (signal?.aborted) leave()
    try {
      return await Promise.race([this.#ended.promise, left.promise])
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }
}
