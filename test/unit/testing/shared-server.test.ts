import { IDBFactory } from 'fake-indexeddb'
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
