import type { FaultInput, When } from './faults.ts'
import { faultRule } from './faults.ts'
import type { DedupeRow, Delivery, Order, Rows } from './tables.ts'
import { emptyRows } from './tables.ts'

/** Which rows to show; all of what is given must hold. */
export interface Query {
  readonly key?: string
  /** Orders only. */
  readonly shop?: string
  /** Orders only. */
  readonly operation?: string
  readonly path?: string
}

/** What a test or a page does with the server: look, and break. */
export interface Controls {
  /** The orders really placed, oldest first. */
  ledger(query?: Query): readonly Order[]
  /** Every request to a route as the server saw it, oldest first, lost ones included. */
  log(query?: Pick<Query, 'key' | 'path'>): readonly Delivery[]
  /** The dedupe table. */
  keys(): readonly DedupeRow[]
  /** Breaks the next request, or those that `when` says. Rules add up; the first that fits strikes. */
  next(fault: FaultInput, when?: When): void
  /** Drops all rules that have not struck. */
  clearFaults(): void
  /** With the network down everything fails, until it is up again. */
  network(state: 'up' | 'down'): void
  /** The dedupe table is emptied, as after its lifetime: a repeat runs again. */
  forgetKeys(): void
  /** Back to the beginning: no orders, no keys, no log, no faults, network up. */
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
  next: (rows, fault, when) => {
    rows.rules = [...rows.rules, faultRule(fault, when)]
  },
  clearFaults: rows => {
    rows.rules = []
  },
  network: (rows, state) => {
    rows.network = state
  },
  forgetKeys: rows => rows.dedupe.clear(),
  reset: rows => {
    rows.dedupe.clear()
    rows.work.clear()
    rows.deliveries.clear()
    const { orders, rules, network } = emptyRows(0)
    // The count of deliveries goes on: a request of before must not be taken for one of after.
    Object.assign(rows, { orders, rules, network })
  },
}

function fits(row: object, query: Query): boolean {
  return Object.entries(query).every(([name, value]) => Reflect.get(row, name) === value)
}
