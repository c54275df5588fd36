import type { FaultInput, When } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf } from './shop.ts'

/** What can happen to a first attempt that ends without an answer. */
const LOST: readonly (readonly [name: string, fault: FaultInput, because: string])[] = [
  ['a lost request', 'lose-request', 'network'],
  ['a lost reply', 'lose-reply', 'network'],
  ['a request that nobody answers', 'hang', 'timeout'],
  ['an order that nobody answers', 'hang-after-effect', 'timeout'],
  ['a reset connection that was used before', 'reset-reused', 'network'],
  ['a connection that breaks while the order is worked on', { is: 'hang-up', ms: 10 }, 'network'],
]

describe('after an attempt without an answer', () => {
  it.each(LOST)('%s is followed by the same key and bytes', async (_, fault, because) => {
    const shop = new Shop()
    const { client, events } = shop.open()
    shop.server.next(fault)
    const outcome = await shop.ending(client.submit('checkout', order()))
    const again = fault === 'reset-reused' ? {} : { attempts: 2 }
    expect(outcome).toMatchObject({ state: 'succeeded', ...again })
    expect(shop.log.length).toBeGreaterThan(1)
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(new Set(shop.log.flatMap(({ bodyDigest }) => bodyDigest ?? [])).size).toBe(1)
    expect(shop.placed).toBe(1)
    if (fault !== 'reset-reused') {
      expect(events.filter(({ type }) => type === 'unanswered')).toMatchObject([{ because }])
    }
  })

  it.each([408, 425, 500, 502, 503, 504])('%i is no answer', async status => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(status)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2, from: 'reply' })
    expect(shop.log).toHaveLength(2)
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('a gateway that gives up on an order that was placed leads to its replay', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next({ is: 'status', status: 504, effect: true })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(shop.placed).toBe(1)
  })

  it('sends again as often as the policy says, and then does not know', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 3 } })
    const states = statesOf(client)
    shop.server.next('lose-reply', { requests: 9 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({
      state: 'unknown',
      reason: 'attempts',
      attempts: 3,
      resumable: true,
      durable: true,
    })
    expect(states).toEqual([
      'idle',
      'sending',
      'waiting:backoff',
      'sending',
      'waiting:backoff',
      'sending',
      'unknown:attempts',
    ])
    expect(shop.log).toHaveLength(3)
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.placed).toBe(1)
  })

  it('stops at the deadline of the turn', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { deadlineMs: 70_000 } })
    shop.server.next('hang', { requests: 9 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'deadline' })
    expect(shop.placed).toBe(0)
  })

  it('goes on with the same key when it is resumed', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 2 } })
    shop.server.next('lose-reply', { requests: 3 })
    const first = await shop.ending(client.submit('checkout', order()))
    expect(first).toMatchObject({ state: 'unknown', reason: 'attempts', attempts: 2 })
    const second = await shop.ending(client.operation('checkout').resume())
    expect(second).toMatchObject({ state: 'succeeded', attempts: 4, from: 'replay' })
    expect(keyOf(second)).toBe(keyOf(first))
    expect(shop.keys).toHaveLength(1)
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('goes on with the same key when the same is submitted again', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const first = await shop.ending(client.submit('checkout', order()))
    const second = await shop.ending(client.submit('checkout', order()))
    expect([first.state, second.state]).toEqual(['unknown', 'succeeded'])
    expect(keyOf(second)).toBe(keyOf(first))
    expect(shop.placed).toBe(1)
  })
})

describe('a body that was cut off', () => {
  const cut: readonly (readonly [name: string, fault: FaultInput, when: When])[] = [
    ['cut', 'cut-body', {}],
    ['stalled', 'stall-body', {}],
  ]

  it.each(cut)('%s: the same key asks again for it', async (_, fault, when) => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(fault, when)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({
      state: 'succeeded',
      attempts: 2,
      from: 'replay',
      bodyLost: false,
      data: { id: 'order-1', item: 'book', amount: 42 },
    })
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('that never comes whole is a success all the same', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 3 } })
    shop.server.next('cut-body', { requests: 9 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({
      state: 'succeeded',
      attempts: 3,
      bodyLost: true,
      data: undefined,
    })
    expect(shop.placed).toBe(1)
  })

  it('stays a success when what comes later is an error', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 2 } })
    shop.server.next('cut-body')
    shop.server.next(500)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', bodyLost: true })
    if (outcome.state === 'succeeded') expect(outcome.response.status).toBe(201)
  })

  it('is written down before it is read, so that a page that dies there has a success', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    shop.server.next('stall-body')
    void client.submit('checkout', order())
    await shop.world.run(() => shop.stored()?.happened !== undefined)
    const tab = shop.open({ retry: { maxAttempts: 1 } }, page.reload())
    shop.server.next(500)
    const outcome = await shop.ending(tab.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', bodyLost: true })
    expect(shop.placed).toBe(1)
  })
})
