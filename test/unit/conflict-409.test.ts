import { idempotencyKey } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

const inUse = { is: 'status', status: 409, evidence: true } as const
const conflict = { is: 'status', status: 409 } as const

describe('409 with evidence of work in progress', () => {
  it('is waited for as long as the server asks, and costs no attempt', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    const states = statesOf(client)
    shop.server.next(inUse, { requests: 3 })
    const began = shop.world.now()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 4 })
    expect(shop.log.map(({ at }) => at - began)).toEqual([0, 1_000, 2_000, 3_000])
    expect(states).toEqual([
      'idle',
      'sending',
      'waiting:in-progress',
      'sending',
      'waiting:in-progress',
      'sending',
      'waiting:in-progress',
      'sending',
      'succeeded',
    ])
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('of our own first delivery ends with its answer', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next({ is: 'hang-up', ms: 7_000 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.log.map(({ reply }) => 'status' in reply && reply.status)).toContain(409)
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('that never ends is unknown after a minute', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(inUse, { requests: 999 })
    const began = shop.world.now()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'in-progress', resumable: true })
    expect(shop.world.now() - began).toBe(60_000)
    expect(await shop.ending(client.resumeAll())).toEqual([])
    shop.server.clearFaults()
    const after = await shop.ending(client.operation('checkout').resume())
    expect(after).toMatchObject({ state: 'succeeded' })
    expect(keyOf(after)).toBe(keyOf(outcome))
    expect(shop.placed).toBe(1)
  })

  it('has the limit that the profile says', async () => {
    const shop = new Shop()
    const profile = { ...idempotencyKey(), id: 'slow', pace: { inProgressLimitMs: 5_000 } }
    const { client } = shop.open({ profile })
    shop.server.next(inUse, { requests: 999 })
    const began = shop.world.now()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'in-progress' })
    expect(shop.world.now() - began).toBe(5_000)
  })

  it('is asked again for a person who resumes, for another whole limit', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(inUse, { requests: 999 })
    await shop.ending(client.submit('checkout', order()))
    shop.server.clearFaults()
    shop.server.next(inUse, { requests: 3 })
    const after = await shop.ending(client.operation('checkout').resume())
    expect(after).toMatchObject({ state: 'succeeded' })
  })
})

describe('409 without evidence', () => {
  it('on a first attempt is asked again twice within 3 s, and is a refusal where it stays', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(conflict, { requests: 99 })
    const began = shop.world.now()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'refused', attempts: 3 })
    expect(shop.log.map(({ at }) => at - began)).toEqual([0, 1_000, 3_000])
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(0)
  })

  it('that was work in progress ends with its answer', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(conflict, { requests: 2 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 3 })
    expect(shop.placed).toBe(1)
  })

  it('after an attempt without an answer is in progress until its limit, then unknown', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next('lose-reply')
    shop.server.next(conflict, { requests: 999 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'in-progress', resumable: true })
    shop.server.clearFaults()
    const after = await shop.ending(client.operation('checkout').resume())
    expect(after).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.placed).toBe(1)
  })

  it('on a first attempt and then no answer is not a refusal', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 2 } })
    shop.server.next(conflict)
    shop.server.next('lose-reply')
    shop.server.next(conflict, { requests: 999 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'in-progress' })
    expect(shop.placed).toBe(1)
  })

  it('is ended at once by a rule that names it', async () => {
    const shop = new Shop()
    const standard = idempotencyKey()
    const profile = {
      ...standard,
      id: 'names',
      rules: [{ status: 409, then: { is: 'failure', said: 'origin' } as const }, ...standard.rules],
    }
    const { client } = shop.open({ profile })
    shop.server.next(conflict)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'refused', attempts: 1 })
  })
})

describe('two tabs at a server that is still working', () => {
  it('have one order', async () => {
    const shop = new Shop({ server: { workMs: 3_000 } })
    const a = shop.open()
    const b = shop.open()
    const both = [a, b].map(({ client }) => watch(client.submit('checkout', order())))
    await shop.world.settle()
    expect(both).toMatchObject([
      { value: { state: 'succeeded', data: { id: 'order-1' } } },
      { value: { state: 'succeeded', data: { id: 'order-1' } } },
    ])
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })
})
