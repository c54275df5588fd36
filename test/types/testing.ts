import { setupServer } from 'msw/node'
import { createClient } from 'sendonce'
import { createMockServer } from 'sendonce/testing'
import { mockHandlers } from 'sendonce/testing/msw'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

const server = createMockServer()
const network = setupServer(...mockHandlers(server))

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }))
afterEach(() => server.reset())
afterAll(() => network.close())

it('places one order when the reply is lost', async () => {
  const api = createClient({ scope: 'ada', storage: 'memory', retry: { baseDelayMs: 1 } })
  server.next('lose-reply')
  server.next({ is: 'slow', ms: 50 }, { attempts: [2] })
  server.next(503)
  const outcome = await api.submit('order', {
    url: 'http://shop.test/api/orders',
    json: { item: 'tea', amount: 1 },
  })
  expect(outcome).toMatchObject({ state: 'succeeded', data: { item: 'tea' } })
  expect(server.ledger()).toHaveLength(1)
  expect(new Set(server.log().map(({ key }) => key)).size).toBe(1)
  await api.idle()
})
