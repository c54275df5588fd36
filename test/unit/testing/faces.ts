import { setupServer } from 'msw/node'
import type { MockServer } from 'sendonce/testing'
import { listen } from 'sendonce/testing'
import { mockHandlers } from 'sendonce/testing/msw'

/** One way to reach a server, the same for every test of faults. */
export interface Face {
  readonly fetch: typeof globalThis.fetch
  readonly origin: string
  close(): Promise<void>
}

export type FaceName = 'direct' | 'msw' | 'node'

export const openFace: Readonly<Record<FaceName, (server: MockServer) => Promise<Face>>> = {
  direct: async server => ({
    fetch: server.fetch,
    origin: 'http://shop.test',
    close: async () => {},
  }),
  msw: async server => {
    const network = setupServer(...mockHandlers(server))
    network.listen({ onUnhandledRequest: 'error' })
    return { fetch, origin: 'http://shop.test', close: async () => network.close() }
  },
  node: async server => {
    const listening = await listen(server)
    return { fetch, origin: listening.origin, close: listening.close }
  },
}

export interface Sent {
  readonly key?: string
  readonly json?: unknown
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly redirect?: RequestRedirect
}

export function order(face: Face, sent: Sent = {}): Promise<Response> {
  const { key = 'key-1', json = { item: 'tea', amount: 3 }, path = '/api/orders', headers } = sent
  return face.fetch(face.origin + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== '' && { 'idempotency-key': key }),
      ...headers,
    },
    body: JSON.stringify(json),
    ...(sent.signal && { signal: sent.signal }),
    ...(sent.redirect && { redirect: sent.redirect }),
  })
}

/** What a page can tell: no answer, an answer whose body broke off, or a status. */
export async function seen(sending: Promise<Response>): Promise<string> {
  const response = await sending.catch((error: unknown) => error)
  if (!(response instanceof Response)) {
    return response instanceof TypeError ? 'no answer' : String((response as Error).name)
  }
  if (response.type === 'opaque') return 'opaque'
  const body = await response.text().catch(() => undefined)
  if (body === undefined) return `${response.status} cut`
  const html = response.headers.get('content-type')?.startsWith('text/html') ? ' html' : ''
  return `${response.status}${html}${response.redirected ? ' redirected' : ''}`
}

export { until } from './until.ts'
