import type { MechanismInput } from './mechanisms/catalogue.ts'
import type { BeginningState } from './mechanisms/state-machine.ts'
import type { Route } from './routes.ts'
import { openRoute } from './routes.ts'
import type { Style } from './say.ts'
import type { Order } from './tables.ts'

/** What one path does with a request that could have an effect. */
export interface RouteOptions extends Style {
  /**
   * How it executes a request once: each looks and takes in this order, all in one transaction. Where a later one
   * refuses, what earlier ones took is undone, but for a token and a window, which are no part of a transaction in real
   * servers either.
   * @default ['dedupe']
   */
  readonly mechanisms?: readonly MechanismInput[]
  /** Answers 400 to a request without key, token or number. Without this, it is executed each time it comes. @default true */
  readonly requireKey?: boolean
  /** How long an order takes here, in milliseconds. @default the server's `workMs` */
  readonly workMs?: number
  /** The shop in the ledger. @default the path */
  readonly shop?: string
  /** Says what is wrong with the fields; undefined: nothing. @default refuses a blank `address` */
  readonly validate?: (fields: Fields) => string | undefined
  /** The JSON that answers an order. @default `{ id, item, amount }` */
  readonly reply?: (order: Order) => unknown
}

/** What a body says, where it is JSON or an URL-encoded form. */
export type Fields = Readonly<Record<string, unknown>>

/** What a mock server is made of. */
export interface MockServerOptions {
  /** By path, `:name` for a part that varies. @default `/api/orders`, and `/api/plain/orders` that does without keys */
  readonly routes?: Readonly<Record<string, RouteOptions>>
  /** Path under which the server shows itself: `/ledger`, `/log`, `/keys`, `/tables`, `/faults`, `/reset`; false: nowhere. @default '/api' */
  readonly admin?: string | false
  /** How long an order takes, in milliseconds. @default 0 */
  readonly workMs?: number
  /** Orders that are there from the beginning, by id, for the mechanism `state`. @default none */
  readonly states?: Readonly<Record<string, BeginningState>>
  /** The header with the request id: echoed in every answer, and kept with the order. @default 'x-request-id' */
  readonly requestIdHeader?: string
  /** How long a key is remembered, in milliseconds. @default 86_400_000, a day */
  readonly keyTtlMs?: number
  /** Whether a refused order is remembered under its key like a placed one. @default true */
  readonly storeRefusals?: boolean
  /**
   * Whose request it is; null answers 401.
   * @default the token of `Authorization: Bearer` or the cookie `session`, `signed-out` being nobody; else `guest`
   */
  readonly session?: (headers: Readonly<Record<string, string>>) => string | null
  /** What relative URLs of `server.fetch` are relative to. @default 'http://shop.test' */
  readonly origin?: string
  /** For faults with a share. @default 1 */
  readonly seed?: number
  /** Wall clock, in milliseconds. @default Date.now */
  readonly now?: () => number
  /** Calls back after so many milliseconds; returns its stop. @default setTimeout */
  readonly timer?: (ms: number, run: () => void) => () => void
}

export interface Settings extends Required<Omit<MockServerOptions, 'routes'>> {
  readonly routes: readonly Route[]
}

const DAY_MS = 86_400_000

const ROUTES: Readonly<Record<string, RouteOptions>> = {
  '/api/orders': {},
  '/api/plain/orders': { requireKey: false },
}

export function settle(options: MockServerOptions): Settings {
  const { routes = ROUTES, ...given } = options
  const settings = {
    admin: '/api',
    workMs: 0,
    states: {},
    requestIdHeader: 'x-request-id',
    keyTtlMs: DAY_MS,
    storeRefusals: true,
    session: sessionOf,
    origin: 'http://shop.test',
    seed: 1,
    now: () => Date.now(),
    timer: (ms: number, run: () => void) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    ...given,
  }
  return {
    ...settings,
    routes: Object.entries(routes).map(([path, route]) => openRoute(path, route, settings)),
  }
}

function sessionOf(headers: Readonly<Record<string, string>>): string | null {
  const session =
    /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ??
    /(?:^|; *)session=([^;]+)/.exec(headers.cookie ?? '')?.[1]
  return session === 'signed-out' ? null : (session ?? 'guest')
}

export function blankAddress(fields: Fields): string | undefined {
  const { address } = fields
  return typeof address === 'string' && address.trim() === ''
    ? 'The address is missing.'
    : undefined
}
