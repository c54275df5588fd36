import type { Answer } from './exchange.ts'

/** A row of the dedupe table: one per principal and key. */
export interface DedupeRow {
  /** Whose it is. */
  readonly principal: string
  /** As it came. */
  readonly key: string
  /** Method, path and body of the request that took the key. */
  readonly fingerprint: string
  /** How far the work is. */
  readonly status: 'processing' | 'done' | 'failed'
  /** What is said again to a repeat; undefined while it is being worked on, and after a failure that may run again. */
  readonly answer: Answer | undefined
  /** The number of the delivery that took it. */
  readonly delivery: number
  /** When the work is done; wall clock, milliseconds since 1970. */
  readonly finishesAt: number
  /** When it is forgotten; wall clock, milliseconds since 1970. */
  readonly expiresAt: number
}

/** A one-time token, also after it was spent. */
export interface TokenRow {
  /** As it was issued. */
  readonly token: string
  /** Whose it is. */
  readonly principal: string
  /** When; wall clock, milliseconds since 1970. */
  readonly issuedAt: number
  /** When it is good no more; wall clock, milliseconds since 1970. */
  readonly expiresAt: number
  /** When, if it was; wall clock, milliseconds since 1970. */
  readonly spentAt: number | undefined
  /** The delivery that spent it. */
  readonly spentBy: number | undefined
}

/** An entry of the unique index of business numbers. */
export interface NumberRow {
  /** Whose it is. */
  readonly principal: string
  /** As it came. */
  readonly number: string
  /** Equal for equal requests: method, path and body. */
  readonly fingerprint: string
  /** How far the work is. */
  readonly status: 'processing' | 'done'
  /** The number of the delivery that took it. */
  readonly delivery: number
  /** When the work is done; wall clock, milliseconds since 1970. */
  readonly finishesAt: number
  /** The order that has it. */
  readonly orderId: string | undefined
}

/** The state of an order that moves. */
export interface StateRow {
  /** Of the order. */
  readonly id: string
  /** Such as `PAID`. */
  readonly state: string
  /** Counts its moves. */
  readonly version: number
  /** The delivery that is about to move it. */
  readonly movedBy: number | undefined
}

/** A lock that is held. */
export interface LockRow {
  /** Whose it is. */
  readonly principal: string
  /** What is locked. */
  readonly name: string
  /** The number of the delivery that took it. */
  readonly delivery: number
  /** When; wall clock, milliseconds since 1970. */
  readonly takenAt: number
  /** When it falls away; wall clock, milliseconds since 1970. */
  readonly expiresAt: number
}

/** What was submitted a moment ago, and is refused until the window closes. */
export interface WindowRow {
  /** Whose it is. */
  readonly principal: string
  /** Where it was asked for. */
  readonly path: string
  /** Equal for equal requests: method, path and body. */
  readonly fingerprint: string
  /** The number of the delivery that opened it. */
  readonly delivery: number
  /** When; wall clock, milliseconds since 1970. */
  readonly openedAt: number
  /** When it closes; wall clock, milliseconds since 1970. */
  readonly expiresAt: number
}

/** Accepted work that has an address of its own. */
export interface JobRow {
  /** A part of its address. */
  readonly id: string
  /** Whose it is. */
  readonly principal: string
  /** What names the work, if anything does. */
  readonly key: string | undefined
  /** Equal for equal requests: method, path and body. */
  readonly fingerprint: string
  /** How far the work is. */
  readonly status: 'processing' | 'done' | 'failed'
  /** What its address says in the end. */
  readonly answer: Answer | undefined
  /** The number of the delivery that began it. */
  readonly delivery: number
  /** When the work is done; wall clock, milliseconds since 1970. */
  readonly finishesAt: number
}

/** A request id as one service keeps it. */
export interface CallRow {
  /** As it came. */
  readonly requestId: string
  /** Which of them keeps it. */
  readonly service: string
  /** In capitals. */
  readonly method: string
  /** Whose it is. */
  readonly principal: string
  /** How far the work is. */
  readonly status: 'processing' | 'done'
  /** The number of the delivery that began it. */
  readonly delivery: number
  /** When the work is done; wall clock, milliseconds since 1970. */
  readonly finishesAt: number
}

/** What the mechanisms keep, by the name of the table. */
export interface MechanismRows {
  readonly dedupe: DedupeRow
  readonly tokens: TokenRow
  readonly numbers: NumberRow
  readonly states: StateRow
  readonly locks: LockRow
  readonly windows: WindowRow
  readonly jobs: JobRow
  /** Request ids, as each service keeps them. */
  readonly calls: CallRow
}

const TABLES = [
  'dedupe',
  'tokens',
  'numbers',
  'states',
  'locks',
  'windows',
  'jobs',
  'calls',
] as const satisfies readonly (keyof MechanismRows)[]

/** `make` for each table. */
export function eachTable<Made>(
  make: (table: keyof MechanismRows) => Made,
): Record<keyof MechanismRows, Made> {
  const made = TABLES.map(table => [table, make(table)] as const)
  return Object.fromEntries(made) as Record<keyof MechanismRows, Made>
}
