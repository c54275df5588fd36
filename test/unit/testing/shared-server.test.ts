import { IDBFactory } from 'fake-indexeddb'
import type { MockServerOptions } from 'sendonce/testing'
import { createSharedMockServer } from 'sendonce/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fakeClock } from './clock.ts'

beforeEach(() => vi.stubGlobal('indexedDB', new IDBFactory()))
afterEach(() => vi.unstubAllGlobals())

const sent = {
  method: 'POST',
  headers: { 'idempotency-key': 'key-1', 'content-type': 'application/json' },
  body: '{"item":"tea"}',
}

it('is one server behind two tabs: fifty requests at once place one order', async () => {
  const tabs = [createSharedMockServer('shop'), createSharedMockServer('shop')]
  const sending = tabs.flatMap(tab =>
    Array.from({ length: 25 }, () => tab.fetch('/api/orders', sent)),
  )
  const statuses = (await Promise.all(sending)).map(({ status }) => status)
  expect(statuses).toEqual(Array.from({ length: 50 }, () => 201))
  for (const tab of tabs) expect(await tab.ledger()).toHaveLength(1)
})

it('completes after a reload what the page before it began', async () => {
  const clock = fakeClock()
  const options = { workMs: 1_000, now: clock.now, timer: clock.timer }
  void createSharedMockServer('shop', options).fetch('/api/orders', sent)
  await clock.waitedFor()
  // The page dies here: its timer never fires, so nobody comes back for the answer.
  let passedMs = 0
  const after = createSharedMockServer('shop', { ...options, now: () => passedMs })
  expect(await after.ledger()).toHaveLength(0)
  passedMs = 1_000
  expect(await after.ledger()).toMatchObject([{ at: 1_000, key: 'key-1' }])
  const repeat = await after.fetch('/api/orders', sent)
  expect(repeat.headers.get('idempotent-replayed')).toBe('true')
  expect(await after.ledger()).toHaveLength(1)
})

it('keeps faults over a reload, and shares them with other tabs', async () => {
  await createSharedMockServer('shop').next('lose-reply', { requests: 2 })
  const [left, right] = [createSharedMockServer('shop'), createSharedMockServer('shop')]
  await expect(left.fetch('/api/orders', sent)).rejects.toThrow(TypeError)
  await expect(right.fetch('/api/orders', sent)).rejects.toThrow(TypeError)
  expect((await left.fetch('/api/orders', sent)).status).toBe(201)
  expect(await right.ledger()).toHaveLength(1)
})

it('changes nothing when a change throws', async () => {
  const server = createSharedMockServer('shop')
  await expect(server.next('no-such-fault' as 'hang')).rejects.toThrow(/no-such-fault/)
  expect(await (await server.fetch('/api/faults')).json()).toEqual({ rules: [], network: 'up' })
})

it('carries the tables of every mechanism over a reload', async () => {
  const options: MockServerOptions = {
    states: { 7: { state: 'PENDING' } },
    routes: {
      '/api/orders': { mechanisms: ['token', 'lock', 'number', 'request-id', 'window'] },
      '/api/jobs': { mechanisms: ['accepted'] },
      '/api/orders/:id/pay': { mechanisms: ['state'] },
    },
  }
  const open = () => createSharedMockServer('shop', options)
  const { token } = await (await open().fetch('/api/token')).json()
  const post = (path: string, json: unknown, headers = {}) =>
    open().fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(json),
    })
  const headers = { 'x-idempotent-token': token, 'x-request-id': 'request-1' }
  expect((await post('/api/orders', { order_no: 'a' }, headers)).status).toBe(201)
  expect((await post('/api/orders', { order_no: 'a' }, headers)).status).toBe(409)
  expect((await post('/api/jobs', {}, { 'idempotency-key': 'b' })).status).toBe(202)
  expect((await post('/api/orders/7/pay', { version: 1 })).status).toBe(200)
  expect(await open().tables()).toMatchObject({
    tokens: [{ token, spentBy: 2 }],
    numbers: [{ number: 'a', status: 'done' }],
    calls: [{ service: 'orders' }, { service: 'payments' }, { service: 'stock' }],
    windows: [{ path: '/api/orders' }],
    jobs: [{ id: 'job-4', status: 'done' }],
    states: [{ id: '7', state: 'PAID', version: 2 }],
    locks: [],
  })
  expect(await open().ledger()).toHaveLength(3)
})

it('lets one of two tabs spend a token', async () => {
  const options = { routes: { '/api/orders': { mechanisms: ['token'] } } } as const
  const left = createSharedMockServer('shop', options)
  const right = createSharedMockServer('shop', options)
  const { token } = await (await left.fetch('/api/token')).json()
  const headers = { 'x-idempotent-token': token }
  const sending = [left, right].map(tab => tab.fetch('/api/orders', { method: 'POST', headers }))
  const statuses = (await Promise.all(sending)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([201, 409])
  expect(await right.ledger()).toHaveLength(1)
})
