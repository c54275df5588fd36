import type { Head } from './exchange.ts'
import { matcher } from './places.ts'
import type { Target } from './routes.ts'
import type { Rows } from './tables.ts'

/** What goes wrong without any further detail. */
const PLAIN_FAULTS = [
  /** Never arrives at the application: nothing is executed. */
  'lose-request',
  /** Executed, and the connection breaks when the answer should come. */
  'lose-reply',
  /** Executed; the answer breaks off in the middle of its body. */
  'cut-body',
  /** Executed; the answer stands still in the middle of its body. */
  'stall-body',
  /** Not executed, never answered. */
  'hang',
  /** Executed, never answered. */
  'hang-after-effect',
  /**
   * Executed; the connection is reset if it carried a request before. A browser then sends the same request again by
   * itself, without a word to the page; the faces without connections do so in its place. Three arrivals of one `fetch`:
   * `{ requests: 2 }`, and over the wire two idle connections before it.
   */
  'reset-reused',
  /** Not executed: the session is gone, redirected (302) to a page that answers 200. */
  'sign-in',
  /** Not executed: the network's own page, 200 and HTML. */
  'captive-portal',
  /** Executed, and the page may not read the answer. Over the wire: no CORS headers. */
  'opaque',
  /** All that is remembered for a time is gone when this request looks: keys, tokens, locks, windows, request ids. */
  'forget-keys',
  /** Executed, whatever any table says, and answered by a 204 that calls itself a replay. */
  'false-replay',
  /** Executed, and the page sees those headers only that every origin may read: no marker, no `Retry-After`, no `Location`. */
  'hide-headers',
] as const

/** What goes wrong with a delivery. */
export type Fault =
  | { readonly is: (typeof PLAIN_FAULTS)[number] }
  /** `slow`: the work takes `ms` milliseconds. `slow-reply`: it is done at once, and the answer takes so long. */
  | { readonly is: 'slow' | 'slow-reply'; readonly ms: number }
  /** The connection breaks at once, while the work goes on for `ms` milliseconds. */
  | { readonly is: 'hang-up'; readonly ms: number }
  /**
   * The process dies when the work is done, before it can remember or answer anything. What is left behind is up to the
   * mechanism: a table in the order's own transaction has its row, a lock stays locked.
   */
  | {
      readonly is: 'crash'
      /** Whether it dies after the effect; else before it. @default true */
      readonly effect?: boolean
    }
  /** Sent on, with method and body (that is what `status` says), to the same path once more. */
  | { readonly is: 'redirect'; readonly status: 307 | 308 }
  /** This status. */
  | {
      readonly is: 'status'
      /** The status. */
      readonly status: number
      /** The order is placed all the same. @default false, true for 2xx */
      readonly effect?: boolean
      /** A repeat of the key hears this status again. @default false */
      readonly stored?: boolean
      /** A 409 that says it is because another delivery is being worked on. @default false */
      readonly evidence?: boolean
      /** Marked as a replay, which it is not. @default false */
      readonly replayed?: boolean
      /** Seconds, a date `inMs` milliseconds from now, or any text, sent as it is. */
      readonly retryAfter?: number | string | { readonly inMs: number }
    }

/** A fault, or in short the name of one without details, or a status. */
export type FaultInput = Fault | (typeof PLAIN_FAULTS)[number] | 'crash' | number

/** When a fault strikes. All that is given must hold; if nothing is, the next request. */
export interface When {
  /** So many requests, then no more. @default 1 without `share` and `attempts`, else no limit */
  readonly requests?: number
  /** This share of requests, from 0 to 1 (all of them), drawn by the server's seed. */
  readonly share?: number
  /** These deliveries of a key, from 1. */
  readonly attempts?: readonly number[]
  /** Requests to this path only; `:name` stands for a part that varies. */
  readonly path?: string
  /**
   * Requests of this method only. @default those that could place an order, and with `path` those to an address beside
   * them: of a token, a job, a state
   */
  readonly method?: string
}

/** A fault that waits for its request. The first rule that fits is the one that strikes. */
export interface FaultRule extends When {
  /** What goes wrong. */
  readonly fault: Fault
}

const DETAILED_FAULTS = ['crash', 'slow', 'slow-reply', 'hang-up', 'redirect', 'status']

/** Reads the short forms; throws a TypeError on a fault that does not exist. */
export function faultRule(input: FaultInput, when: When = {}): FaultRule {
  const limited = when.share === undefined && when.attempts === undefined
  return { ...(limited && { requests: 1 }), ...when, fault: toFault(input) }
}

function toFault(input: FaultInput): Fault {
  if (input === 307 || input === 308) return { is: 'redirect', status: input }
  if (typeof input === 'number') return { is: 'status', status: input }
  const fault = typeof input === 'string' ? { is: input } : input
  const known: readonly string[] = [...PLAIN_FAULTS, ...DETAILED_FAULTS]
  if (known.includes(fault.is)) return fault
  throw new TypeError(
    `No fault is called "${fault.is}": use a status or one of ${known.join(', ')}.`,
  )
}

/** Takes the fault that strikes this delivery. `of` is what it asks for. */
export function takeFault(
  rows: Rows,
  head: Head,
  attempt: number,
  of: Target['is'],
): Fault | undefined {
  const url = new URL(head.url)
  // The second leg of a 307 or 308 must arrive, or a rule without a limit would redirect for ever.
  if (url.searchParams.has(MOVED)) return undefined
  const struck = rows.rules.find(
    rule =>
      fits(rule, head.method, url.pathname, of) &&
      (rule.attempts === undefined || rule.attempts.includes(attempt)) &&
      (rule.fault.is !== 'reset-reused' || head.reused) &&
      (rule.share === undefined || draw(rows) < rule.share),
  )
  if (struck?.requests !== undefined) {
    const left = struck.requests - 1
    rows.rules = rows.rules.flatMap(rule =>
      rule !== struck ? [rule] : left > 0 ? [{ ...rule, requests: left }] : [],
    )
  }
  return struck?.fault
}

function fits(rule: FaultRule, method: string, pathname: string, of: Target['is']): boolean {
  if (rule.path !== undefined && !matcher(rule.path)(pathname)) return false
  if (rule.method !== undefined) return rule.method === method
  return of === 'order' || (of === 'aside' && rule.path !== undefined)
}

/** The query parameter that marks a request as redirected. */
export const MOVED = 'moved'

/** The next number of the mulberry32 generator (Tommy Ettinger, public domain), from 0 up to, not including, 1. */
function draw(rows: Rows): number {
  rows.random = (rows.random + 0x6d2b79f5) | 0
  let mixed = Math.imul(rows.random ^ (rows.random >>> 15), 1 | rows.random)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
}
