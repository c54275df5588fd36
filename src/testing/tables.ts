import type { Answer } from './exchange.ts'
import type { Fault, FaultRule } from './faults.ts'
import type { MechanismRows } from './mechanism-rows.ts'
import { eachTable } from './mechanism-rows.ts'

/** What can name an operation on the wire. Text as it came, quotes included; undefined where there was none. */
export interface Names {
  /** The idempotency key. */
  readonly key: string | undefined
  /** The one-time token. */
  readonly token: string | undefined
  /** Of the business: `order_no`. */
  readonly businessNumber: string | undefined
  /** The id in `requestIdHeader`. */
  readonly requestId: string | undefined
}

/** A business effect. What the ledger shows happened; everything else is talk. */
export interface Order extends Names {
  /** Made up by the server. */
  readonly id: string
  /** From the body's `shop`, the header `X-Shop`, or the path. */
  readonly shop: string
  /** From the body. */
  readonly item: string
  /** From the body. */
  readonly amount: number
  /** Wall clock, milliseconds since 1970. */
  readonly at: number
  /** From the body's `operation` or the header `X-Operation`, for tests; a real server does not know it. */
  readonly operation: string | undefined
  /** Whose session it was. */
  readonly principal: string
  /** The number of the delivery that placed it, see {@link Delivery}. */
  readonly delivery: number
  /** Where it was asked for. */
  readonly path: string
}

/** Work that has begun. Whoever looks at the tables after `finishesAt` completes it, so it outlives the page that began it. */
export interface Work {
  readonly delivery: number
  /** Where it was asked for. */
  readonly path: string
  readonly finishesAt: number
  /** How it will end. */
  readonly how: 'worked' | 'refused' | 'crashed'
  /** The order to place, or undefined: it ends without an effect. */
  readonly order: Omit<Order, 'id' | 'at'> | undefined
  /** What is said, and stored, at the end. @default 201 with the order */
  readonly answer: Answer | undefined
}

/** What came of a delivery on its way back. */
export type DeliveryReply =
  /** Nothing so far, and nothing ever if it hangs or the page that asked is gone. */
  | { readonly is: 'none' }
  /** The connection broke `at` this time; wall clock, milliseconds since 1970. */
  | { readonly is: 'lost'; readonly at: number }
  | {
      /** `cut`: broke off. `stalled`: stands still. `opaque`: the page may not read it. */
      readonly is: 'answered' | 'cut' | 'stalled' | 'opaque'
      /** When; wall clock, milliseconds since 1970. */
      readonly at: number
      /** What was answered. */
      readonly status: number
    }

/** One request as the server saw it. One attempt of a client may be several. */
export interface Delivery extends Names {
  /** From 1, in order of arrival. */
  readonly number: number
  /** When it arrived; wall clock, milliseconds since 1970. */
  readonly at: number
  /** In capitals. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Whose session it was; undefined for nobody. */
  readonly principal: string | undefined
  /** The how-manieth delivery of its key or token it was, from 1; where its head has neither, of its path. */
  readonly attempt: number
  /** Equal for equal bytes; undefined if the body was never read. */
  readonly bodyDigest: string | undefined
  /** Its connection had carried another request. */
  readonly reused: boolean
  /** What went wrong with it. */
  readonly fault: Fault | undefined
  /** What it did to the ledger. */
  readonly effect: 'none' | 'under-way' | 'executed' | 'replayed'
  /** When the answer goes out, if it takes time. */
  readonly answersAt: number | undefined
  /** What the server had to say, whether or not it was heard. */
  readonly answer: Answer | undefined
  /** What went back. */
  readonly reply: DeliveryReply
}

/** Tables of the mechanisms, by whatever each finds its rows again. */
type MechanismMaps = {
  readonly [table in keyof MechanismRows]: Map<string, MechanismRows[table]>
}

/** Everything the server knows. Rows are replaced, never changed, so that what was read stays as it was. */
export interface Rows extends MechanismMaps {
  /** The ledger. */
  orders: Order[]
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

/** Oldest deliveries leave the log, and tokens their table, beyond this many: a playground left running must not grow for ever. */
export const MAX_LOGGED = 2_000

export function emptyRows(seed: number): Rows {
  return {
    orders: [],
    ...(eachTable(() => new Map()) as MechanismMaps),
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
