import { describe, expect, it } from 'vitest'
import { ORDERS, order, Shop, watch } from './shop.ts'

const post = (json: unknown = order().json, init: RequestInit = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(json),
  ...init,
})

describe('api.fetch', () => {
  it('sends a POST once, whatever becomes of its reply', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next('lose-reply')
    const response = await shop.ending(client.fetch(ORDERS, post()))
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ item: 'book' })
    expect(shop.log).toHaveLength(2)
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('takes a Request as well, and an operation', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const request = new Request(ORDERS, post())
    await shop.ending(client.fetch(request, { operation: 'checkout:1' }))
    await shop.world.settle()
    expect(shop.stored('checkout:1')).toMatchObject({ phase: { is: 'succeeded' } })
  })

  it('gives a refusal back as a response', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(422)
    const response = await shop.ending(client.fetch(ORDERS, post()))
    expect(response).toMatchObject({ status: 422, ok: false, bodyUsed: false })
  })

  it('rejects where nobody knows, with the outcome, and a repeat meets the first', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const lost = watch(client.fetch(ORDERS, post()))
    await shop.world.settle()
    expect(lost.error).toMatchObject({
      code: 'unknown-outcome',
      outcome: { state: 'unknown', reason: 'attempts' },
    })
    const response = await shop.ending(client.fetch(ORDERS, post()))
    expect(response.status).toBe(201)
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('rejects where it is paused', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(401)
    const paused = watch(client.fetch(ORDERS, post()))
    await shop.world.settle()
    expect(paused.error).toMatchObject({ code: 'paused', outcome: { reason: 'unauthorized' } })
  })

  it('tells equal requests from others, forms too', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const formOf = (item: string) => {
      const form = new FormData()
      form.append('item', item)
      return form
    }
    await shop.ending(
      Promise.all([
        client.fetch(ORDERS, post({ ...order().json, item: 'a' })),
        client.fetch(ORDERS, post({ ...order().json, item: 'a' })),
        client.fetch(ORDERS, post({ ...order().json, item: 'b' })),
        client.fetch(ORDERS, { method: 'POST', body: formOf('a') }),
        client.fetch(ORDERS, { method: 'POST', body: formOf('a') }),
        client.fetch(ORDERS, { method: 'POST', body: formOf('b') }),
      ]),
    )
    expect(shop.placed).toBe(4)
    expect(shop.log).toHaveLength(4)
  })

  it('passes safe methods through, and what match leaves out, body and all', async () => {
    const shop = new Shop()
    const { client } = shop.open({
      match: request => !new URL(request.url).pathname.startsWith('/graphql'),
    })
    const seen: string[] = []
    shop.world.server = async request => {
      seen.push(
        `${request.method} ${request.headers.get('idempotency-key')} ${await request.text()}`,
      )
      return new Response('through')
    }
    const graphql = 'http://shop.test/graphql'
    for (const [input, init] of [
      [ORDERS, {}],
      [graphql, { method: 'POST', body: 'query' }],
      [new Request(graphql, { method: 'POST', body: 'query' }), undefined],
    ] as const) {
      const response = await shop.ending(client.fetch(input, init))
      expect(await shop.ending(response.text())).toBe('through')
    }
    expect(seen).toEqual(['GET null ', 'POST null query', 'POST null query'])
    expect(shop.records.records()).toEqual([])
  })

  it('lets match name the operation', async () => {
    const shop = new Shop()
    const { client } = shop.open({ match: () => 'named' })
    await shop.ending(client.fetch(ORDERS, post()))
    await shop.world.settle()
    expect(shop.stored('named')).toMatchObject({ phase: { is: 'succeeded' } })
  })

  it('sends Authorization with every attempt, and stores and compares it never', async () => {
    const shop = new Shop({ server: { session: () => 'ada' } })
    const { client } = shop.open({ retry: { maxAttempts: 2 } })
    shop.server.next('lose-reply', { requests: 2 })
    const headers = { 'content-type': 'application/json', authorization: 'Bearer old-secret' }
    const lost = watch(client.fetch(ORDERS, post(order().json, { headers })))
    await shop.world.settle()
    expect(lost.error).toMatchObject({ code: 'unknown-outcome' })
    expect(JSON.stringify(shop.records.records())).not.toContain('old-secret')
    const again = { ...headers, authorization: 'Bearer new-secret' }
    const response = await shop.ending(client.fetch(ORDERS, post(order().json, { headers: again })))
    expect(response.status).toBe(201)
    expect(shop.log.map(delivery => delivery.headers.authorization)).toEqual([
      'Bearer old-secret',
      'Bearer old-secret',
      'Bearer new-secret',
    ])
    expect(shop.placed).toBe(1)
  })

  it('takes a key that the caller gives in its header', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const headers = { 'content-type': 'application/json', 'Idempotency-Key': 'order-17' }
    await shop.ending(client.fetch(ORDERS, post(order().json, { headers })))
    expect(shop.keys).toEqual(['order-17'])
  })

  it('aborted before it left rejects as every fetch does, and no-cors is refused', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const reason = new DOMException('No.', 'AbortError')
    const aborted = watch(client.fetch(ORDERS, post({}, { signal: AbortSignal.abort(reason) })))
    const opaque = watch(client.fetch(ORDERS, { method: 'POST', mode: 'no-cors' }))
    await shop.world.settle()
    expect(aborted.error).toBe(reason)
    expect(opaque.error).toMatchObject({ code: 'invalid-argument' })
    expect(shop.log).toEqual([])
  })
})

describe('a ky that asks for no-cors', () => {
  it('sends nothing: the answer could never be read', async () => {
    const shop = new Shop()
    const { client } = shop.open({
      ky: (url, { fetch: send, method, headers, body, signal }) =>
        send(url, { method, headers, body: body ?? null, signal, mode: 'no-cors' }),
    })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(sent.error).toMatchObject({
      code: 'not-sent',
      message: expect.stringContaining('no-cors'),
    })
    expect(shop.log).toEqual([])
  })
})
