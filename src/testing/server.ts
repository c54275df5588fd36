import { ADMIN_PATHS } from './admin.ts'
import type { Controls } from './controls.ts'
import { controls } from './controls.ts'
import { SIGN_IN_PATH } from './endings.ts'
import type { Backend } from './exchange.ts'
import { directFetch } from './faces/direct.ts'
import { admit, collect, handle, isServed } from './handle.ts'
import { indexedDbTables } from './indexed-db-tables.ts'
import { beginStates } from './mechanisms/state-machine.ts'
import { memoryTables } from './memory-tables.ts'
import { completeDue } from './orders.ts'
import { pathsOf } from './routes.ts'
import type { MockServerOptions, Settings } from './settings.ts'
import { settle } from './settings.ts'
import type { Rows } from './tables.ts'
import { emptyRows } from './tables.ts'

interface Served {
  /** For the faces. */
  readonly backend: Backend
  /** Takes the place of `fetch`: no network, and the server's clock. */
  readonly fetch: typeof globalThis.fetch
  /** Lets go of requests that hang: their connections break. */
  release(): void
  /** Hears of every request and every change that came through this object, not of other tabs. Returns its stop. */
  subscribe(listener: () => void): () => void
}

/** A server in memory, which a test reads at once: `expect(server.ledger()).toHaveLength(1)`. */
export interface MockServer extends Controls, Served {}

/** A server in an IndexedDB database: it survives reloads, all tabs are at the same one, and looking takes a promise. */
export type SharedMockServer = Served & {
  readonly [K in keyof Controls]: (
    ...input: Parameters<Controls[K]>
  ) => Promise<ReturnType<Controls[K]>>
}

/**
 * A server that executes an order once, however often its key comes, and breaks on command.
 *
 * @example
 * const server = createMockServer()
 * const network = setupServer(...mockHandlers(server))
 * server.next('lose-reply')
 * await api.submit('checkout:cart-42', { url: '/api/orders', json: { item: 'tea' } })
 * expect(server.ledger()).toHaveLength(1)
 */
export function createMockServer(options: MockServerOptions = {}): MockServer {
  const settings = settle(options)
  const tables = memoryTables(emptyRows(settings.seed))
  return serve(settings, tables.change, tables.changeNow) as MockServer
}

/** The same, for browsers: one server behind all tabs of an origin, under the name of its database. */
export function createSharedMockServer(
  database: string,
  options: MockServerOptions = {},
): SharedMockServer {
  const settings = settle(options)
  const { change } = indexedDbTables(database, () => emptyRows(settings.seed))
  return serve(settings, change, change) as SharedMockServer
}

/** `look` is how the controls reach the tables: at once, or by a promise. */
function serve(
  settings: Settings,
  change: <R>(run: (rows: Rows) => R) => Promise<R>,
  look: <R>(run: (rows: Rows) => R) => unknown,
): unknown {
  const listeners = new Set<() => void>()
  let gate = closedGate()

  const timed =
    <R>(run: (rows: Rows, now: number) => R) =>
    (rows: Rows): R => {
      const now = settings.now()
      beginStates(rows, settings.states)
      completeDue(rows, settings, now)
      return run(rows, now)
    }
  const tell = () => {
    for (const listener of listeners) listener()
  }
  const transact = async <R>(run: (rows: Rows, now: number) => R): Promise<R> => {
    const result = await change(timed(run))
    tell()
    return result
  }
  const release = () => {
    gate.open()
    gate = closedGate()
  }

  const backend: Backend = {
    paths: [
      ...pathsOf(settings.routes),
      ...(settings.admin === false ? [] : ADMIN_PATHS.map(path => settings.admin + path)),
      SIGN_IN_PATH,
    ],
    serves: path => isServed(settings, path),
    admit: head => transact((rows, now) => admit(rows, head, settings, now)),
    handle: (head, delivery, body) =>
      transact((rows, now) => handle(rows, head, delivery, body, settings, now)),
    collect: delivery => transact((rows, now) => collect(rows, delivery, settings, now)),
    wait: ms => new Promise(resolve => void settings.timer(Math.min(ms, MAX_TIMER_MS), resolve)),
    get released() {
      return gate.opened
    },
  }

  const served: Served = {
    backend,
    fetch: directFetch(backend, settings.origin),
    release,
    subscribe: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const looking = Object.entries(controls).map(([name, control]) => [
    name,
    (...input: unknown[]) => {
      if (name === 'reset') release()
      const result = look(timed(rows => Reflect.apply(control, undefined, [rows, ...input])))
      // Whoever hears of a change will look: hearing of looks as well would never end.
      if (READING.includes(name)) return result
      if (result instanceof Promise) return result.finally(tell)
      tell()
      return result
    },
  ])
  return { ...served, ...Object.fromEntries(looking) }
}

const READING: readonly string[] = ['ledger', 'log', 'keys', 'tables'] satisfies (keyof Controls)[]

function closedGate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { opened, open }
}

/** `setTimeout` of more than this fires at once: 2^31 - 1 ms. */
const MAX_TIMER_MS = 0x7fffffff
