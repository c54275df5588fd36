// @vitest-environment jsdom
import { setupServer } from 'msw/node'
import { createClient } from 'sendonce'
import { createMockServer } from 'sendonce/testing'
import { mockHandlers } from 'sendonce/testing/msw'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { checkout } from './checkout.ts'

const server = createMockServer()
const network = setupServer(...mockHandlers(server))
beforeAll(() => network.listen())
afterEach(() => {
  server.reset()
  vi.useRealTimers()
})
afterAll(() => network.close())

const open = () => createClient({ scope: 'ada', storage: 'memory', retry: { baseDelayMs: 1 } })

it('places one order though the reply is lost', async () => {
  const api = open()
  const form = checkout(api)
  server.next('lose-reply')
  form.requestSubmit()
  await api.idle()
  expect(server.ledger()).toHaveLength(1)
  expect(form.textContent).toContain('Done.')
})

it('does not call failed what may have happened', async () => {
  const api = open()
  const form = checkout(api)
  server.next('lose-reply', { share: 1 }) // every one, so that it ends unknown
  form.requestSubmit()
  await api.idle()
  expect(server.ledger()).toHaveLength(1)
  expect(form.textContent).toContain("We don't know yet whether this went through.")
})

it('waits for as long as the server asks', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const form = checkout(open())
  server.next({ is: 'status', status: 429, retryAfter: 20 })
  form.requestSubmit()
  await vi.advanceTimersByTimeAsync(19_000)
  expect(form.textContent).toContain('The server is busy.')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(server.ledger()).toHaveLength(1)
})
