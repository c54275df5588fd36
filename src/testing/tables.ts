import type { Answer } from './exchange.ts'
import type { Fault, FaultRule } from './faults.ts'

/** A business effect. What the ledger shows happened; everything else is talk. */
export interface Order {
  readonly id: string
  /** From the body's `shop`, the header `X-Shop`, or the path. */
  readonly shop: string
  readonly item: string
  readonly amount: number
  /** Wall clock, milliseconds since 1970. */
  readonly at: number
  /** As on the wire, quotes included; undefined for an order without one. */
  readonly key: string | undefined
  /** From the body's `operation` or the header `X-Operation`, for tests; a real server does not know it. */
  readonly operation: string | undefined
  /** Whose session it was. */
  readonly principal: string
  /** The number of the delivery that placed it, see {@link Delivery}. */
  readonly delivery: number
  readonly path: string
}

/** A row of the dedupe table: one per principal and key. */
export interface DedupeRow {
  readonly principal: string
  readonly key: string
  /** Method, path and body of the request that took the key. */
  readonly fingerprint: string
  readonly status: 'processing' | 'done' | 'failed'
  /** What is said again to a repeat; undefined while it is being worked on. */
  readonly answer: Answer | undefined
  readonly delivery: number
  readonly finishesAt: number
  readonly expiresAt: number
}

/** Work that has begun. Whoever looks at the tables after `finishesAt` completes it, so it outlives the page that began it. */
export interface Work {
  readonly delivery: number
  readonly finishesAt: number
  /** The order to place, or undefined: it ends without an effect. */
  readonly order: Omit<Order, 'id' | 'at'> | undefined
  /** What is said, and stored, at the end. @default 201 with the order */
  readonly answer: Answer | undefined
}

/** What came of a delivery on its way back. */
export type DeliveryReply =
  /** Nothing so far, and nothing ever if it hangs or the page that asked is gone. */
  | { readonly is: 'none' }
  | { readonly is: 'lost'; readonly at: number }
  | {
      readonly is: 'answered' | 'cut' | 'stalled' | 'opaque'
      readonly at: number
      readonly status: number
    }

/** One request as the server saw it. One attempt of a client may be several. */
export interface Delivery {
  /** From 1, in order of arrival. */
  readonly number: number
  readonly at: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly key: string | undefined
  readonly principal: string | undefined
  /** The how-manieth delivery of its key it was, from 1; without a key, of its path. */
  readonly attempt: number
  /** Equal for equal bytes; undefined if the body was never read. */
  readonly bodyDigest: string | undefined
  readonly reused: boolean
  readonly fault: Fault | undefined
  readonly effect: 'none' | 'under-way' | 'executed' | 'replayed'
  /** When the answer goes out, if it takes time. */
  readonly answersAt: number | undefined
  /** What the server had to say, whether or not it was heard. */
  readonly answer: Answer | undefined
  readonly reply: DeliveryReply
}

/** Everything the server knows. Rows are replaced, never changed, so that what was read stays as it was. */
export interface Rows {
  /** The ledger. */
  orders: Order[]
  readonly dedupe: Map<string, DedupeRow>
  readonly work: Map<number, Work>
  /** The log, by number. */
  readonly deliveries: Map<number, Delivery>
  delivered: number
  rules: FaultRule[]
  network: 'up' | 'down'
  /** State of the generator that draws for faults with a share. */
  random: number
}

/** Where the rows are kept: one verb, one transaction. */
export interface Tables {
  /** Runs `run` alone on the rows and keeps what it changed; resolves when that is committed. `run` is synchronous. */
  change<R>(run: (rows: Rows) => R): Promise<R>
}

/** Oldest deliveries leave the log beyond this many: a playground left running must not grow for ever. */
const MAX_LOGGED = 2_000

export function emptyRows(seed: number): Rows {
  return {
    orders: [],
    dedupe: new Map(),
    work: new Map(),
    deliveries: new Map(),
    delivered: 0,
    rules: [],
    network: 'up',
    random: seed,
  }
}

/** Writes a delivery, or changes to one, into the log. */
export function note(rows: Rows, delivery: Delivery, changes: Partial<Delivery> = {}): Delivery {
  const noted = { ...delivery, ...changes }
  rows.deliveries.set(noted.number, noted)
  const oldest = noted.number - MAX_LOGGED
  if (!rows.work.has(oldest)) rows.deliveries.delete(oldest)
  return noted
}
