import 'fake-indexeddb/auto'
import { createClient } from 'sendonce'
import { createMockServer } from 'sendonce/testing'
import { afterEach, expect, it, vi } from 'vitest'

const server = createMockServer()
afterEach(() => vi.unstubAllGlobals())

const open = () => createClient({ scope: 'ada', retry: { baseDelayMs: 1 } })

it('goes on after a reload, with the same key', async () => {
  vi.stubGlobal('fetch', server.fetch)
  const before = open()
  server.next('lose-reply', { share: 1 })
  await before.submit('checkout:cart-42', {
    url: 'http://shop.test/api/orders',
    json: { item: 'tea' },
  })
  await before.idle()
  before.close()

  server.clearFaults()
  const after = open()
  const [found] = await after.unsettled()
  expect(found?.snapshot.state).toBe('unknown')
  await after.operation('checkout:cart-42').resume()
  expect(server.ledger()).toHaveLength(1)
  expect(new Set(server.log().map(({ key }) => key)).size).toBe(1)
  await after.idle()
  after.close()
})
