import type { Order } from './tables.ts'

/** What one path does with a request that could have an effect. */
export interface RouteOptions {
  /** Answers 400 to a request without a key. Without this, such a request is executed each time it comes. @default true */
  readonly requireKey?: boolean
  /** The shop in the ledger. @default the path */
  readonly shop?: string
  /** Says what is wrong with the fields; undefined: nothing. @default refuses a blank `address` */
  readonly validate?: (fields: Fields) => string | undefined
  /** The JSON that answers an order. @default `{ id, item, amount }` */
  readonly reply?: (order: Order) => unknown
}

/** What a body says, where it is JSON or an URL-encoded form. */
export type Fields = Readonly<Record<string, unknown>>

export interface MockServerOptions {
  /** By path. @default `/api/orders`, and `/api/plain/orders` that does without keys */
  readonly routes?: Readonly<Record<string, RouteOptions>>
  /** Path under which the server shows itself: `/ledger`, `/log`, `/keys`, `/faults`, `/reset`; false: nowhere. @default '/api' */
  readonly admin?: string | false
  /** How long an order takes, in milliseconds. @default 0 */
  readonly workMs?: number
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

export type Settings = Required<MockServerOptions>

const DAY_MS = 86_400_000

export function settle(options: MockServerOptions): Settings {
  return {
    routes: { '/api/orders': {}, '/api/plain/orders': { requireKey: false } },
    admin: '/api',
    workMs: 0,
    keyTtlMs: DAY_MS,
    storeRefusals: true,
    session: sessionOf,
    origin: 'http://shop.test',
    seed: 1,
    now: () => Date.now(),
    timer: (ms, run) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    ...options,
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
