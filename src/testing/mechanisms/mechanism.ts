import type { Answer } from '../exchange.ts'
import type { RouteOptions } from '../settings.ts'
import type { Rows, Work } from '../tables.ts'

/** A request that could have an effect, as a mechanism looks at it. */
export interface Asked {
  readonly principal: string
  readonly key: string | undefined
  /** Equal for equal requests. */
  readonly fingerprint: string
  readonly delivery: number
  readonly route: RouteOptions
  readonly now: number
  /** When the work will be done, should this request be the one that does it. */
  readonly finishesAt: number
  readonly expiresAt: number
}

/**
 * One way for a server to execute a request once. To add one: a file beside this one, its table in `Rows`, and its
 * place in the list of `handle.ts`.
 */
export interface Mechanism {
  /**
   * Looks and takes, within one transaction: undefined lets the request run, an answer is given in place of running it.
   * `replayed` says that the answer is the one of an earlier delivery.
   */
  take(
    rows: Rows,
    asked: Asked,
  ): { readonly answer: Answer; readonly replayed: boolean } | undefined
  /** The work is done: remembers its answer, or with undefined lets go of what was taken. */
  finish(rows: Rows, delivery: Work['delivery'], answer: Answer | undefined): void
}
