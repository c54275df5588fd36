import type { MockServer, Order } from '../../src/testing/index.ts'
import type { Effect, Sent } from '../support/evidence.ts'
import { REQUEST_ID, SHOP, TOKEN_HEADER } from './presets.ts'

/** What else names one in its head. */
const KEY_HEADERS = ['idempotency-key', 'repeatability-request-id', REQUEST_ID, TOKEN_HEADER]

/** What names the operation of a request. */
export function nameOn({ url, headers }: Sent): string | undefined {
  const { searchParams, pathname } = new URL(url)
  const asked = /\/by-(?:token|number)\/([^/]+)$/.exec(pathname)?.[1]
  const inHead = KEY_HEADERS.map(header => headers.get(header)).find(Boolean)
  return unquoted(inHead) ?? searchParams.get('token') ?? asked
}

/** The one-time token that a request carries. */
export function tokenOn({ url, headers }: Sent): string | undefined {
  return headers.get(TOKEN_HEADER) ?? new URL(url).searchParams.get('token') ?? undefined
}

/** When a request says that its operation was first sent. */
export function dateOn({ headers }: Sent): string | undefined {
  return headers.get('repeatability-first-sent') ?? undefined
}

/** An order as the witness counts it. */
export function effectOf(order: Order): Effect & Order {
  const { key, token, businessNumber, requestId, path } = order
  const effect = { ...order, key: unquoted(key) ?? token ?? businessNumber ?? requestId }
  // A move counts for everybody who finds it made, and is answered with what was moved.
  const moved = /([^/]+)\/pay$/.exec(path)?.[1]
  return moved === undefined ? effect : { ...effect, id: moved, made: SHOP + path }
}

/** Whether no order has come of a token, nor ever can. */
export function isDead(mock: MockServer, token: string, now: number): boolean {
  const row = mock.tables().tokens.find(each => each.token === token)
  const used = mock.ledger({ token }).length > 0
  const atWork = mock.log({ token }).some(({ effect }) => effect === 'under-way')
  return !used && !atWork && (!row || row.spentBy !== undefined || row.expiresAt <= now)
}

function unquoted(name: string | null | undefined): string | undefined {
  return name?.replace(/^"(.*)"$/, '$1') || undefined
}
