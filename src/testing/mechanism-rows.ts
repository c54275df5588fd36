import type { Answer } from './exchange.ts'

/** A row of the dedupe table: one per principal and key. */
export interface DedupeRow {
  readonly principal: string
  readonly key: string
  /** Method, path and body of the request that took the key. */
  readonly fingerprint: string
  readonly status: 'processing' | 'done' | 'failed'
  /** What is said again to a repeat; undefined while it is being worked on, and after a failure that may run again. */
  readonly answer: Answer | undefined
  readonly delivery: number
  readonly finishesAt: number
  readonly expiresAt: number
}

/** A one-time token, also after it was spent. */
export interface TokenRow {
  readonly token: string
  readonly principal: string
  readonly issuedAt: number
  readonly expiresAt: number
  readonly spentAt: number | undefined
  /** The delivery that spent it. */
  readonly spentBy: number | undefined
}

/** An entry of the unique index of business numbers. */
export interface NumberRow {
  readonly principal: string
  readonly number: string
  readonly fingerprint: string
  readonly status: 'processing' | 'done'
  readonly delivery: number
  readonly finishesAt: number
  readonly orderId: string | undefined
}

/** The state of an order that moves. */
export interface StateRow {
  readonly id: string
  readonly state: string
  readonly version: number
  /** The delivery that is about to move it. */
  readonly movedBy: number | undefined
}

export interface LockRow {
  readonly principal: string
  readonly name: string
  readonly delivery: number
  readonly takenAt: number
  readonly expiresAt: number
}

/** What was submitted a moment ago, and is refused until the window closes. */
export interface WindowRow {
  readonly principal: string
  readonly path: string
  readonly fingerprint: string
  readonly delivery: number
  readonly openedAt: number
  readonly expiresAt: number
}

/** Accepted work that has an address of its own. */
export interface JobRow {
  readonly id: string
  readonly principal: string
  readonly key: string | undefined
  readonly fingerprint: string
  readonly status: 'processing' | 'done' | 'failed'
  readonly answer: Answer | undefined
  readonly delivery: number
  readonly finishesAt: number
}

/** A request id as one service keeps it. */
export interface CallRow {
  readonly requestId: string
  readonly service: string
  readonly method: string
  readonly principal: string
  readonly status: 'processing' | 'done'
  readonly delivery: number
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
