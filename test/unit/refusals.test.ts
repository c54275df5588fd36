import type { FaultInput } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf } from './shop.ts'

describe('a refusal of a first attempt', () => {
  it('is a refusal, and the corrected form is a new operation', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const refused = await shop.ending(client.submit('checkout', order({ address: ' ' })))
    expect(refused).toMatchObject({
      state: 'refused',
      attempts: 1,
      data: { status: 422, detail: 'The address is missing.' },
    })
    const corrected = await shop.ending(client.submit('checkout', order()))
    expect(corrected).toMatchObject({ state: 'succeeded', attempts: 1, from: 'reply' })
    expect(keyOf(corrected)).not.toBe(keyOf(refused))
    expect(shop.keys).toEqual([keyOf(refused), keyOf(corrected)])
    expect(shop.placed).toBe(1)
  })

  it.each([400, 402, 404, 405, 410, 413, 414, 415, 422, 431])('%i is definite', async status => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(status)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'refused', attempts: 1 })
    expect(shop.log).toHaveLength(1)
    expect(shop.placed).toBe(0)
  })

  it.each([401, 403, 407, 419])('%i pauses, and the key is kept', async status => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    shop.server.next(status)
    const paused = await shop.ending(client.submit('checkout', order()))
    expect(paused).toMatchObject({ state: 'paused', reason: 'unauthorized', attempts: 1 })
    if (paused.state === 'paused') expect(paused.response?.status).toBe(status)
    const outcome = await shop.ending(client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(states).toEqual(['idle', 'sending', 'paused:unauthorized', 'sending', 'succeeded'])
    expect(shop.keys).toEqual([keyOf(paused)])
    expect(shop.placed).toBe(1)
  })

  it('tells the answer with its status and its data', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const outcome = await shop.ending(client.submit('checkout', order({ address: '' })))
    if (outcome.state !== 'refused') throw new TypeError(outcome.state)
    expect(outcome.response.status).toBe(422)
    expect(await outcome.response.json()).toEqual(outcome.data)
  })
})

describe('a refusal after an attempt without an answer', () => {
  const front: readonly number[] = [401, 403, 404, 405, 407, 413, 414, 415, 419, 431]

  it.each(front)('%i speaks for its own attempt only: unknown, the key is kept', async status => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    shop.server.next('lose-reply')
    shop.server.next(status)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({
      state: 'unknown',
      reason: 'refused-later',
      attempts: 2,
      resumable: true,
    })
    expect(states).toEqual([
      'idle',
      'sending',
      'waiting:backoff',
      'sending',
      'unknown:refused-later',
    ])
    const after = await shop.ending(client.submit('checkout', order()))
    expect(after).toMatchObject({ state: 'succeeded', attempts: 3, from: 'replay' })
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('429 is waited for, and where it stays so the ending is unknown', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { deadlineMs: 10_000 } })
    shop.server.next('lose-reply')
    shop.server.next(429, { requests: 999 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'deadline', resumable: true })
    shop.server.clearFaults()
    const after = await shop.ending(client.submit('checkout', order()))
    expect(after).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.placed).toBe(1)
  })

  it('by the origin is a refusal where the server replays', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next('lose-reply')
    const outcome = await shop.ending(client.submit('checkout', order({ address: '' })))
    expect(outcome).toMatchObject({ state: 'refused', attempts: 2 })
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(0)
  })

  it('by an HTML page is one of the front, whatever its status', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const { server } = shop.world
    shop.server.next('lose-reply')
    shop.world.server = async request =>
      shop.log.length === 1
        ? new Response('<h1>No</h1>', { status: 400, headers: { 'content-type': 'text/html' } })
        : server(request)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'refused-later', attempts: 2 })
  })
})

describe('429 on a first attempt', () => {
  it('is waited for with the same key and costs no attempt', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 429, retryAfter: 2 }, { requests: 3 })
    const began = shop.world.now()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 4 })
    expect(shop.log.map(({ at }) => at - began)).toEqual([0, 2_000, 4_000, 6_000])
    expect(states).toEqual([
      'idle',
      'sending',
      'waiting:rate-limited',
      'sending',
      'waiting:rate-limited',
      'sending',
      'waiting:rate-limited',
      'sending',
      'succeeded',
    ])
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('pauses where it stays so', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { deadlineMs: 10_000 } })
    shop.server.next(429, { requests: 999 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'paused', reason: 'rate-limited' })
    expect(shop.placed).toBe(0)
  })
})

describe('a key that the server knows with another request', () => {
  it('is never exchanged for a new one', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    const first = { key: 'order-4711-key', ...order() }
    await shop.ending(client.submit('first', first))
    const outcome = await shop.ending(
      client.submit('checkout', { key: 'order-4711-key', ...order({ item: 'pen' }) }),
    )
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'key-mismatch', attempts: 1 })
    expect(states.at(-1)).toBe('unknown:key-mismatch')
    expect(shop.log).toHaveLength(2)
    expect(shop.placed).toBe(1)
  })
})

describe('submitOrThrow', () => {
  it.each<readonly [FaultInput, string, string]>([
    [422, 'refused', 'refused'],
    [401, 'paused', 'paused'],
    ['captive-portal', 'unknown-outcome', 'unknown'],
  ])('%s throws %s with its outcome', async (fault, code, state) => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next(fault)
    await expect(shop.ending(client.submitOrThrow('checkout', order()))).rejects.toMatchObject({
      name: 'SendonceError',
      code,
      outcome: { state, operation: 'checkout' },
    })
  })

  it('resolves with a success', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const outcome = await shop.ending(client.submitOrThrow('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', data: { id: 'order-1' } })
  })
})
