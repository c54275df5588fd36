// @vitest-environment jsdom
import { setupServer } from 'msw/node'
import { act, createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { createClient } from 'sendonce'
import { createMockServer } from 'sendonce/testing'
import { mockHandlers } from 'sendonce/testing/msw'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Shop } from './order-form.tsx'

const server = createMockServer()
const network = setupServer(...mockHandlers(server))
beforeAll(() => {
  network.listen()
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
})
afterAll(() => network.close())

it('places one order though the reply is lost, and the button was pressed twice', async () => {
  const api = createClient({ scope: 'ada', storage: 'memory', retry: { baseDelayMs: 1 } })
  const root = createRoot(document.body)
  await act(() => root.render(createElement(Shop, { api })))
  const button = document.querySelector('button')

  server.next('lose-reply')
  await act(async () => {
    button?.click()
    button?.click()
    await api.idle()
  })

  expect(server.ledger()).toHaveLength(1)
  expect(document.querySelector('[role="status"]')?.textContent).toBe('Done.')
  await act(() => root.unmount())
})
