import { useSyncExternalStore } from 'react'
import type { DedupeRow, Delivery, Order } from 'sendonce/testing'
import { server } from './server.ts'

/** What the server shows of itself. */
export interface ServerView {
  readonly orders: readonly Order[]
  readonly deliveries: readonly Delivery[]
  readonly keys: readonly DedupeRow[]
}

/** Work that takes time is completed by whoever looks next. */
const LOOK_AGAIN_MS = 1_000

/** Other tabs write into the same tables. */
const channel = new BroadcastChannel('sendonce-playground')

const listeners = new Set<() => void>()
let view: ServerView = { orders: [], deliveries: [], keys: [] }
let signature = ''
let looking: Promise<void> | undefined
let stale = false

/** Looks at the server, once at a time. */
export function look(): Promise<void> {
  stale = looking !== undefined
  looking ??= read().finally(() => {
    looking = undefined
    if (stale) void look()
  })
  return looking
}

async function read(): Promise<void> {
  const [orders, deliveries, keys] = await Promise.all([
    server.ledger(),
    server.log(),
    server.keys(),
  ])
  const next = { orders, deliveries, keys }
  const nextSignature = JSON.stringify(next)
  if (nextSignature === signature) return
  signature = nextSignature
  view = next
  for (const listener of listeners) listener()
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
