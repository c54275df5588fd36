import type { DedupeOptions } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { KEY, openShop } from '../shop.ts'

const REQUEST: Readonly<Record<string, string>> = { 'x-request-id': 'request-1' }

const inEnvelopes = (options: Omit<DedupeOptions, 'is'> = {}, says = {}) =>
  openShop({
    mechanisms: [{ is: 'dedupe', key: { header: 'X-Request-Id' }, ...options }],
    answers: 'envelope',
    says,
  })

describe('a dedupe table that answers in envelopes', () => {
  it('says processing, then done with the first result, always with status 200', async () => {
    const { clock, server, post } = inEnvelopes()
    server.next({ is: 'slow', ms: 1_500 })
    const first = post(REQUEST)
    await clock.waitedFor()
    expect(await post(REQUEST)).toMatchObject({
      status: 200,
      json: { code: 'processing', data: null, retryAfterMs: 1_500 },
    })
    clock.advance(1_500)
    const done = { code: 'done', message: 'OK', data: { id: 'order-1', item: 'tea', amount: 3 } }
    expect(await first).toMatchObject({ status: 200, json: done })
    expect((await post(REQUEST)).json).toEqual(done)
    expect(server.ledger()).toMatchObject([{ key: 'request-1', requestId: 'request-1' }])
  })

  it('has codes of its own where it is told so', async () => {
    const { post } = inEnvelopes({}, { done: { code: 0 }, mismatch: { code: 1_001 } })
    expect((await post(REQUEST)).json.code).toBe(0)
    expect((await post(REQUEST, { item: 'coffee' })).json).toMatchObject({
      code: 1_001,
      message: 'X-Request-Id is already used',
    })
  })

  it.each([
    ['stays', 'failed', 0],
    ['runs-again', 'done', 1],
  ] as const)('after a refusal %s', async (afterRefusal, code, placed) => {
    let closed = true
    const shop = openShop({
      mechanisms: [{ is: 'dedupe', afterRefusal }],
      answers: 'envelope',
      validate: () => (closed ? 'The shop is closed.' : undefined),
    })
    expect((await shop.post(KEY)).json).toEqual({
      code: 'failed',
      message: 'The shop is closed.',
      data: null,
    })
    expect(shop.server.keys()).toMatchObject([{ status: 'failed' }])
    closed = false
    expect((await shop.post(KEY)).json.code).toBe(code)
    expect(shop.placed).toBe(placed)
  })

  it('says "processing" in every way there is', async () => {
    const ways = [
      [{ status: 423 }, 423, '2', undefined],
      [{ status: 429 }, 429, '2', undefined],
      [{ status: 503, retryAfter: 'nowhere' }, 503, null, undefined],
      [{ status: 202, retryAfter: 'body' }, 202, null, 1_500],
    ] as const
    for (const [processing, status, header, retryAfterMs] of ways) {
      const { clock, server, post } = openShop({ says: { processing } })
      server.next({ is: 'slow', ms: 1_500 })
      const first = post(KEY)
      await clock.waitedFor()
      const second = await post(KEY)
      expect([second.status, second.headers.get('retry-after')]).toEqual([status, header])
      expect([second.json.code, second.json.retryAfterMs]).toEqual(['processing', retryAfterMs])
      clock.advance(1_500)
      await first
    }
  })
})

describe('a crash between effect and answer', () => {
  it('is survived by a row in the transaction of the order', async () => {
    const { server, post } = openShop({})
    server.next('crash')
    await expect(post(KEY)).rejects.toThrow(TypeError)
    const repeat = await post(KEY)
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
    expect(server.ledger()).toHaveLength(1)
  })

  it('leaves a row in a transaction of its own "processing", until the key expires', async () => {
    const mechanisms = [{ is: 'dedupe', transactions: 'two', ttlMs: 5_000 }] as const
    const { clock, server, post } = openShop({ mechanisms })
    server.next('crash')
    await expect(post(KEY)).rejects.toThrow(TypeError)
    clock.advance(4_999)
    expect((await post(KEY)).status).toBe(409)
    expect(server.ledger()).toHaveLength(1)
    clock.advance(1)
    expect((await post(KEY)).status).toBe(201)
    expect(server.ledger()).toHaveLength(2)
  })

  it('before the effect leaves nothing', async () => {
    const { server, post } = openShop({})
    server.next({ is: 'crash', effect: false })
    await expect(post(KEY)).rejects.toThrow(TypeError)
    expect([server.ledger(), server.keys()]).toEqual([[], []])
    expect((await post(KEY)).status).toBe(201)
  })
})
