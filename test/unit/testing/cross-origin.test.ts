import type { CorsOptions } from 'sendonce/testing'
import { createMockServer, crossOriginFetch } from 'sendonce/testing'
import { expect, it } from 'vitest'

function open(cors: CorsOptions = {}) {
  const server = createMockServer()
  const fetch = crossOriginFetch(server, cors)
  const post = (headers: Readonly<Record<string, string>> = {}) =>
    fetch('http://shop.test/api/plain/orders', { method: 'POST', headers, body: 'tea' })
  return { server, fetch, post }
}

const KEY = { 'idempotency-key': 'key-1' }

it('lets a page of another origin order, and read what is exposed', async () => {
  const { server, post } = open()
  await post({ ...KEY, 'x-request-id': 'request-1' })
  const { headers, type, url } = await post(KEY)
  expect([type, url]).toEqual(['cors', 'http://shop.test/api/plain/orders'])
  expect(headers.get('idempotent-replayed')).toBe('true')
  expect(server.ledger()).toHaveLength(1)
})

it('hides what is not exposed', async () => {
  const { server, post } = open({ exposeHeaders: ['date'] })
  server.next({ is: 'status', status: 503, retryAfter: 120 })
  const { headers } = await post()
  expect([...headers.keys()].sort()).toEqual(['cache-control', 'content-type', 'date'])
})

it('ends at a preflight that refuses the header of the key: nothing arrives', async () => {
  const { server, post } = open({ allowHeaders: ['content-type'] })
  await expect(post(KEY)).rejects.toThrow(TypeError)
  expect(server.log()).toHaveLength(0)
  expect((await post()).status).toBe(201)
})

it('ends at a preflight that refuses the method', async () => {
  const { server, fetch } = open({ allowMethods: ['PUT'] })
  const send = (method: string) => fetch('http://shop.test/api/plain/orders', { method })
  await expect(send('DELETE')).rejects.toThrow(TypeError)
  expect((await send('PUT')).status).toBe(201)
  expect((await send('POST')).status).toBe(201)
  expect(server.ledger()).toHaveLength(2)
})

it('withholds the answer from an origin that is not known, after the effect', async () => {
  const { server, post } = open({ origins: ['http://other.test'] })
  await expect(post()).rejects.toThrow(TypeError)
  expect(server.ledger()).toHaveLength(1)
  await expect(post(KEY)).rejects.toThrow(TypeError)
  expect(server.ledger()).toHaveLength(1)
})
