import type { MockServer, MockServerOptions, RouteOptions } from 'sendonce/testing'
import { createMockServer } from 'sendonce/testing'
import type { Clock } from './clock.ts'
import { fakeClock } from './clock.ts'
import { until } from './until.ts'

export type Headers = Readonly<Record<string, string>>

/** What came back: status, the headers that matter here, and the JSON. */
export interface Heard {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly json: Readonly<Record<string, unknown>>
}

/** One server with one route, reached directly, on a clock of the test's. */
export interface Shop {
  readonly clock: Clock
  readonly server: MockServer
  /** Posts an order of tea. */
  post(headers?: Headers, json?: Readonly<Record<string, unknown>>, path?: string): Promise<Heard>
  get(path: string, headers?: Headers): Promise<Heard>
  /** Orders placed. */
  readonly placed: number
}

export const PATH = '/api/orders'

export function openShop(
  route: RouteOptions,
  options: Omit<MockServerOptions, 'routes'> & { readonly path?: string } = {},
): Shop {
  const { path: routePath = PATH, ...rest } = options
  const clock = fakeClock()
  const server = createMockServer({
    now: clock.now,
    timer: clock.timer,
    routes: { [routePath]: route },
    ...rest,
  })
  const heard = async (response: Response): Promise<Heard> => ({
    status: response.status,
    headers: response.headers,
    json: JSON.parse((await response.text()) || '{}'),
  })
  return {
    clock,
    server,
    post: async (headers = {}, json = { item: 'tea', amount: 3 }, path = routePath) =>
      heard(
        await server.fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(json),
        }),
      ),
    get: async (path, headers = {}) => heard(await server.fetch(path, { headers })),
    get placed() {
      return server.ledger().length
    },
  }
}

export const KEY: Headers = { 'idempotency-key': 'key-1' }
export const ANN: Headers = { authorization: 'Bearer ann' }
export const BOB: Headers = { authorization: 'Bearer bob' }

/** How many of these answers are successes, and the statuses of the rest. */
export function tally(answers: readonly Heard[]): readonly [number, readonly number[]] {
  const statuses = answers.map(({ status }) => status)
  return [
    statuses.filter(status => status < 300).length,
    [...new Set(statuses.filter(status => status >= 300))],
  ]
}

/** The answers to fifty requests that are all there before the first one is done. */
export async function fiftyAtOnce(
  { clock, server }: Shop,
  workMs: number,
  send: () => Promise<Heard>,
): Promise<readonly Heard[]> {
  const before = server.log().length
  const sending = Array.from({ length: 50 }, send)
  await until(server, () => {
    const arrived = server.log().slice(before)
    return arrived.filter(({ bodyDigest }) => bodyDigest !== undefined).length === 50
  })
  if (workMs > 0) await clock.waitedFor()
  clock.advance(workMs)
  return Promise.all(sending)
}
