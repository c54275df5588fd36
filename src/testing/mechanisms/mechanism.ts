import type { Answer } from '../exchange.ts'
import type { Carrier, Parts, Place } from '../places.ts'
import type { Finding } from '../say.ts'
import type { Names, Order, Rows, Work } from '../tables.ts'

/** A request that could have an effect, as a mechanism looks at it. */
export interface Asked extends Carrier, Names {
  readonly principal: string
  readonly method: string
  readonly path: string
  /** Equal for equal requests: method, path and body. */
  readonly fingerprint: string
  readonly delivery: number
  readonly now: number
  /** When the work will be done, should this request be the one that does it. */
  readonly finishesAt: number
  /** Whether a request without key, token or number is refused; else it is executed each time it comes. */
  readonly strict: boolean
  /** Puts a finding into the words of the route. */
  say(finding: Finding): Answer
  /** The JSON that answers an order, now as then. */
  replyOf(order: Order): unknown
}

/** What came of looking. */
export type Taken =
  /** Said in place of running it. `replayed`: it is what an earlier delivery led to. */
  | { readonly is: 'answered'; readonly answer: Answer; readonly replayed?: boolean }
  /** It may run, as far as this mechanism is concerned. */
  | {
      readonly is: 'taken'
      /** Undoes what was taken, in the same transaction, because a later mechanism refused. Without it nothing is undone. */
      readonly undo?: () => void
      /** Said at once, while the work goes on. */
      readonly early?: Answer
    }

/** How work has ended. */
export interface Finished {
  readonly delivery: Work['delivery']
  /** `refused`: by the business. `crashed`: the process died after the effect, or before it if there is no order. */
  readonly how: Work['how']
  /** The effect that it had. */
  readonly order: Order | undefined
  /** What would be said, and is to be remembered; undefined: nothing is. */
  readonly answer: Answer | undefined
}

/** What a server knows of an operation. */
export interface Found {
  readonly state: 'processing' | 'done' | 'failed'
  readonly finishesAt: number | undefined
}

/** A further address that a mechanism answers, without an effect on the business. */
export interface Aside {
  readonly methods: readonly string[]
  readonly path: string
  answer(rows: Rows, asking: Asking): Answer
}

export interface Asking {
  readonly principal: string
  readonly parts: Parts
  readonly now: number
  say(finding: Finding): Answer
}

/**
 * One way for a server to execute a request once. To add one: a file beside this one, its rows in `Rows`, and its name
 * in `catalogue.ts`.
 */
export interface Mechanism {
  /** Where it finds what names an operation. */
  readonly names?: Readonly<Partial<Record<keyof Names, Place>>>
  readonly asides?: readonly Aside[]
  /** Looks and takes, within one transaction; undefined: the request does not concern it. */
  take(rows: Rows, asked: Asked): Taken | undefined
  /** The work has ended: remembers, or lets go of what was taken. */
  finish?(rows: Rows, finished: Finished): void
  /** Says what an order is answered, where that is not the order. Asked before `finish`. */
  reply?(rows: Rows, order: Pick<Order, 'delivery'>): Finding | undefined
  /** What has become of an operation that led to no order so far. */
  look?(rows: Rows, principal: string, name: keyof Names, value: string): Found | undefined
}

/** For a request that does not say what the mechanism needs. */
export function without(asked: Asked, subject: string): Taken | undefined {
  return asked.strict
    ? { is: 'answered', answer: asked.say({ word: 'missing', subject }) }
    : undefined
}

/** Another delivery is at it until `until`. */
export function busy(asked: Asked, subject: string, until: number): Taken {
  const retryAfterMs = Math.max(0, until - asked.now)
  return { is: 'answered', answer: asked.say({ word: 'processing', subject, retryAfterMs }) }
}

/** What a place is called in a title: `idempotency-key` is `Idempotency-Key`. */
export function titleOf(place: Place): string {
  const [name = ''] = Object.values(place)
  if (!('header' in place)) return name.replace(/^\//, '')
  return name.replace(/(^|-)[a-z]/g, letter => letter.toUpperCase())
}

/** Where a map keeps what belongs to somebody. */
export function placeOf(...names: readonly string[]): string {
  return JSON.stringify(names)
}
