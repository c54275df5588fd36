import type { Client, ClientOptions, Outcome, SendonceEvent, Snapshot } from 'sendonce'
import type { Delivery, MockServer, MockServerOptions } from 'sendonce/testing'
import { createMockServer } from 'sendonce/testing'
import { createClientOn } from '../../src/client.ts'
import type { MemoryStore } from '../support/world/memory-store.ts'
import { memoryStore } from '../support/world/memory-store.ts'
import type { Page, PageOptions } from '../support/world/page.ts'
import type { WorldOptions } from '../support/world/world.ts'
import { World } from '../support/world/world.ts'

export const ORDERS = 'http://shop.test/api/orders'

/** The order of most tests; `more` overrides single fields. */
export const order = (more: Readonly<Record<string, unknown>> = {}) => ({
  url: ORDERS,
  json: { item: 'book', amount: 42, address: '1 Main Street', ...more },
})

/** A client in a page of its own. */
export interface Tab {
  readonly page: Page
  readonly client: Client
  /** What `onEvent` heard. */
  readonly events: SendonceEvent[]
}

/** A world with one shop in it. */
export class Shop {
  readonly records: MemoryStore = memoryStore()
  readonly world: World
  readonly server: MockServer

  constructor({ world, server }: { world?: WorldOptions; server?: MockServerOptions } = {}) {
    this.world = new World({ openStore: () => this.records, ...world })
    this.server = createMockServer({
      now: () => this.world.now(),
      timer: (ms, run) => this.world.timer(ms, run),
      ...server,
    })
    this.world.server = request => this.server.fetch(request)
  }

  /** Opens a page, or takes one, with a client of `ada` in it. */
  open(options: Partial<ClientOptions> = {}, page: Page | PageOptions = {}): Tab {
    const opened = 'platform' in page ? page : this.world.page(page)
    const events: SendonceEvent[] = []
    const client = createClientOn(opened.platform, {
      scope: 'ada',
      storage: opened.store,
      onEvent: event => void events.push(event),
      ...options,
    })
    return { page: opened, client, events }
  }

  /** Lets time pass until the promise settles, and settles like it. */
  async ending<T>(promise: Promise<T>): Promise<T> {
    let over = false
    const end = () => {
      over = true
    }
    promise.then(end, end)
    await this.world.run(() => over)
    return promise
  }

  /** Lets time pass until the server has seen so many requests. */
  arrivals(count: number): Promise<void> {
    return this.world.run(() => this.log.length >= count)
  }

  /** What arrived, oldest first. */
  get log(): readonly Delivery[] {
    return this.server.log()
  }

  /** The keys that arrived, each once. */
  get keys(): readonly (string | undefined)[] {
    return [...new Set(this.log.map(({ key }) => key))]
  }

  /** The bodies that arrived, each once. */
  get bodies(): readonly (string | undefined)[] {
    return [...new Set(this.log.map(({ bodyDigest }) => bodyDigest))]
  }

  get placed(): number {
    return this.server.ledger().length
  }

  /** What lies in the store of an operation. */
  stored(operation = 'checkout', scope = 'ada'): Record<string, unknown> | undefined {
    const row = this.records
      .records()
      .find(([[, whose, name]]) => whose === scope && name === operation)
    return row?.[1] as Record<string, unknown> | undefined
  }
}

/** The states of an operation over time, repeats left out: `sending`, `waiting:backoff`, `succeeded`. */
export function statesOf(client: Client, operation = 'checkout'): string[] {
  const handle = client.operation(operation)
  const states: string[] = []
  const look = () => {
    const state = nameOf(handle.getSnapshot())
    if (states.at(-1) !== state) states.push(state)
  }
  look()
  handle.subscribe(look)
  return states
}

/** State and reason of a snapshot; `there` where another tab is at it. */
export function nameOf(snapshot: Snapshot<unknown>): string {
  const reason = 'reason' in snapshot ? `:${snapshot.reason}` : ''
  const there = 'here' in snapshot && !snapshot.here ? ' there' : ''
  return `${snapshot.state}${reason}${there}`
}

/** What became of a promise so far. */
export function watch<T>(promise: Promise<T>): { value?: T; error?: unknown } {
  const watched: { value?: T; error?: unknown } = {}
  promise.then(
    value => {
      watched.value = value
    },
    error => {
      watched.error = error
    },
  )
  return watched
}

/** The key of an outcome, which it must have. */
export function keyOf({ key }: Outcome<unknown>): string {
  if (key === undefined) throw new TypeError('The outcome has no key.')
  return key
}
