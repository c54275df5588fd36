import type { FaultInput, When } from './faults.ts'
import { faultRule } from './faults.ts'
import type { DedupeRow, MechanismRows } from './mechanism-rows.ts'
import { eachTable } from './mechanism-rows.ts'
import type { Delivery, Names, Order, Rows } from './tables.ts'
import { emptyRows } from './tables.ts'

/** Which rows to show; all of what is given must hold. */
export interface Query {
  /** The idempotency key. */
  readonly key?: string
  /** The one-time token. */
  readonly token?: string
  /** Such as an order number. */
  readonly businessNumber?: string
  /** The id in `requestIdHeader`. */
  readonly requestId?: string
  /** Orders only. */
  readonly shop?: string
  /** Orders only. */
  readonly operation?: string
  /** The path of the request. */
  readonly path?: string
}

/** The tables of the mechanisms, oldest row first. Most routes fill one or two of them. */
export type MechanismTables = {
  readonly [table in keyof MechanismRows]: readonly MechanismRows[table][]
}

/** What a test or a page does with the server: look, and break. */
export interface Controls {
  /** The orders really placed, oldest first. */
  ledger(query?: Query): readonly Order[]
  /** Every request to a route as the server saw it, oldest first, lost ones included. */
  log(query?: Pick<Query, keyof Names | 'path'>): readonly Delivery[]
  /** The dedupe table. */
  keys(): readonly DedupeRow[]
  /** The tables of all mechanisms, as they are at one moment. */
  tables(): MechanismTables
  /** Breaks the next request, or those that `when` says. Rules add up; the first that fits strikes. */
  next(fault: FaultInput, when?: When): void
  /** Drops all rules that have not struck. */
  clearFaults(): void
  /** With the network down everything fails, until it is up again. */
  network(state: 'up' | 'down'): void
  /** Puts an order into a state, as if somebody else had moved it. `version` counts on by itself. */
  putState(id: string, state: string, version?: number): void
  /**
   * What is remembered for a time only is gone, as after its lifetime: keys, tokens, locks, windows, request ids. A
   * repeat runs again; orders, their numbers and states, and jobs stay.
   */
  forgetKeys(): void
  /** Back to the beginning: no orders but those of `states`, no rows, no log, no faults, network up. */
  reset(): void
}

type Control<K extends keyof Controls> = (
  rows: Rows,
  ...input: Parameters<Controls[K]>
) => ReturnType<Controls[K]>

export const controls: { readonly [K in keyof Controls]: Control<K> } = {
  ledger: (rows, query = {}) => rows.orders.filter(order => fits(order, query)),
  log: (rows, query = {}) => [...rows.deliveries.values()].filter(row => fits(row, query)),
  keys: rows => [...rows.dedupe.values()],
  tables: rows => eachTable(table => [...rows[table].values()]) as unknown as MechanismTables,
  next: (rows, fault, when) => {
    rows.rules = [...rows.rules, faultRule(fault, when)]
  },
  clearFaults: rows => {
    rows.rules = []
  },
  network: (rows, state) => {
    rows.network = state
  },
  putState: (rows, id, state, version) => {
    const next = version ?? (rows.states.get(id)?.version ?? 0) + 1
    rows.states.set(id, { id, state, version: next, movedBy: undefined })
  },
  forgetKeys: rows => {
    for (const table of [rows.dedupe, rows.tokens, rows.locks, rows.windows, rows.calls]) {
      table.clear()
    }
  },
  reset: rows => {
    for (const table of Object.values(rows)) if (table instanceof Map) table.clear()
    const { orders, rules, network } = emptyRows(0)
    // The count of deliveries goes on: a request of before must not be taken for one of after.
    Object.assign(rows, { orders, rules, network })
  },
}

function fits(row: object, query: Query): boolean {
  return Object.entries(query).every(([name, value]) => Reflect.get(row, name) === value)
}
