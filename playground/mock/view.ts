import { useSyncExternalStore } from 'react'
import type { Delivery, MechanismTables, Order } from 'sendonce/testing'
import { onceInAWhile } from '../once-in-a-while.ts'
import { server } from './server.ts'

/** What the server shows of itself. Rows that did not change are the same objects in the next view. */
export interface ServerView {
  readonly orders: readonly Order[]
  readonly deliveries: readonly Delivery[]
  /** Of the mechanisms. */
  readonly tables: MechanismTables
}

/** Work that takes time is completed by whoever looks next. */
const LOOK_AGAIN_MS = 1_000
/** All tables are one value in the database, so that a look reads and writes everything: not for every request of many. */
const LEAST_BETWEEN_LOOKS_MS = 200

/** Other tabs write into the same tables. */
const channel = new BroadcastChannel('sendonce-playground')

const listeners = new Set<() => void>()
let view: ServerView = { orders: [], deliveries: [], tables: await server.tables() }
let tablesAsText = ''
let looking: Promise<void> | undefined
let stale = false

const tell = onceInAWhile(() => {
  for (const listener of listeners) listener()
})

/** Looks at the server, once at a time. */
export function look(): Promise<void> {
  stale = looking !== undefined
  looking ??= read().finally(() => {
    setTimeout(() => {
      looking = undefined
      if (stale) void look()
    }, LEAST_BETWEEN_LOOKS_MS)
  })
  return looking
}

async function read(): Promise<void> {
  const orders = shared(view.orders, await server.ledger(), ({ id, at }) => `${id} ${at}`)
  const deliveries = shared(view.deliveries, await server.log(), stateOf)
  const tables = await server.tables()
  const text = JSON.stringify(tables)
  if (orders === view.orders && deliveries === view.deliveries && text === tablesAsText) return
  tablesAsText = text
  view = { orders, deliveries, tables }
  tell()
}

/** All that ever changes of a delivery. */
function stateOf({ number, effect, reply }: Delivery): string {
  return `${number} ${effect} ${reply.is}`
}

/** The new rows, with the old objects for those that are the same; the old list if all are. */
function shared<T>(old: readonly T[], next: readonly T[], id: (row: T) => string): readonly T[] {
  const known = new Map(old.map(row => [id(row), row]))
  const rows = next.map(row => known.get(id(row)) ?? row)
  return rows.length === old.length && rows.every((row, index) => row === old[index]) ? old : rows
}

/** Keeps the view up to date from now on. */
export function watchServer(): void {
  server.subscribe(() => {
    void look()
    channel.postMessage('changed')
  })
  channel.onmessage = () => void look()
  setInterval(() => {
    if (document.visibilityState === 'visible') void look()
  }, LOOK_AGAIN_MS)
  document.addEventListener('visibilitychange', () => void look())
}

export function useServer(): ServerView {
  return useSyncExternalStore(subscribe, () => view)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
