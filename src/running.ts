import { deferred } from './deferred.ts'
import type { Outcome } from './lifecycle.ts'
import { listen } from './listen.ts'
import type { Parse } from './outcome.ts'
import type { OperationRecord } from './record.ts'
import type { Ending, StopReason, Turn } from './turn.ts'

/** How a turn ended, and what the first caller's `parse` made of it. */
export interface Ended {
  readonly ending: Ending
  readonly outcome: Outcome<unknown>
}

/** What is known of a turn of this page before it begins. */
export interface TurnOptions
  extends Pick<Turn, 'scope' | 'bytes' | 'guardHeaders' | 'policy' | 'asks' | 'onStorageFailure'> {
  /** When it was asked for; wall clock, milliseconds since 1970. */
  readonly startedAt: number
  readonly fingerprint: Promise<string>
  /** The first caller's. */
  readonly parse?: Parse | undefined
}

/** A turn under way in this page, and everyone who waits for it. */
export interface Running extends TurnOptions {
  readonly signal: AbortSignal
  /** The record as the loop last showed it. */
  record: OperationRecord | undefined
  /** Attempts so far that cost one. */
  spent: number
  /** The loop waits for another tab. */
  queued: boolean
  /** Settles when everything is written. */
  over: Promise<unknown>
  stop(reason: StopReason): void
  end(ended: Ended): void
  fail(error: unknown): void
  /**
   * One caller's waiting. Its signal ends its own waiting only: resolves with undefined while others stay. When the last
   * one goes the loop is stopped, and says how that ended.
   */
  attach(signal: AbortSignal | undefined): Promise<Ended | undefined>
}

export function createRunning(options: TurnOptions): Running {
  const { promise, resolve: end, reject: fail } = deferred<Ended>()
  const controller = new AbortController()
  const stop = (reason: StopReason) => controller.abort(reason)
  let callers = 0
  // Whoever waits is told; where nobody does, nothing is to be reported.
  options.fingerprint.catch(() => {})
  promise.catch(() => {})
  return {
    ...options,
    signal: controller.signal,
    record: undefined,
    spent: 0,
    queued: false,
    over: Promise.resolve(),
    stop,
    end,
    fail,
    attach(signal) {
      callers += 1
      return new Promise((resolve, reject) => {
        const leave = () => {
          callers -= 1
          if (callers === 0) stop('aborted')
          else resolve(undefined)
        }
        const stopListening = listen(signal, 'abort', leave)
        if (signal?.aborted) leave()
        promise.then(resolve, reject)
        promise.finally(stopListening).catch(() => {})
      })
    },
  }
}
