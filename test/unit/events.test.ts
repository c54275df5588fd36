import type { SendonceEvent } from 'sendonce'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

const types = (events: readonly SendonceEvent[]) => events.map(({ type }) => type)

describe('onEvent', () => {
  it('tells the course of an order', async () => {
    const shop = new Shop()
    const { client, events } = shop.open()
    const began = shop.world.now()
    shop.server.next({ is: 'status', status: 503, retryAfter: 2 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    const keyTail = keyOf(outcome).slice(-6)
    const base = { operation: 'checkout', keyTail }
    expect(events).toEqual([
      { ...base, at: began, attempt: 1, type: 'claimed' },
      { ...base, at: began, attempt: 1, type: 'sent' },
      { ...base, at: began, attempt: 1, type: 'answered', status: 503, verdict: 'unknown' },
      {
        ...base,
        at: began,
        attempt: 1,
        type: 'waiting',
        reason: 'backoff',
        nextAttemptAt: began + 2_000,
      },
      { ...base, at: began + 2_000, attempt: 2, type: 'claimed' },
      { ...base, at: began + 2_000, attempt: 2, type: 'sent' },
      { ...base, at: began + 2_000, attempt: 2, type: 'answered', status: 201, verdict: 'success' },
      { ...base, at: began + 2_000, attempt: 2, type: 'succeeded', from: 'reply' },
    ])
  })

  it('tells of a success whether the server had done it before', async () => {
    const shop = new Shop()
    shop.server.next('lose-reply')
    const { client, events } = shop.open()
    await shop.ending(client.submit('checkout', order()))
    expect(events.at(-1)).toMatchObject({ type: 'succeeded', from: 'replay' })
  })

  it('tells of a submit that is given the answer of another tab', async () => {
    const shop = new Shop()
    await shop.ending(shop.open().client.submit('checkout', order()))
    const { client, events } = shop.open()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'store' })
    expect(events).toMatchObject([{ type: 'joined', keyTail: outcome.key?.slice(-6) }])
    expect(shop.placed).toBe(1)
  })

  it('tells every other ending, too', async () => {
    const shop = new Shop()
    const { client, events } = shop.open({ retry: { maxAttempts: 1 } })
    for (const fault of [401, 400, 'lose-reply'] as const) {
      shop.server.next(fault)
      await shop.ending(client.submit('checkout', order()))
    }
    await shop.ending(client.operation('checkout').discard())
    const endings = events.filter(({ type }) => !['claimed', 'sent', 'answered'].includes(type))
    expect(endings).toMatchObject([
      { type: 'paused', reason: 'unauthorized' },
      { type: 'refused' },
      { type: 'unanswered', because: 'network' },
      { type: 'unknown', reason: 'attempts' },
      { type: 'discarded' },
    ])
  })

  it('tells of joining, resuming and taking over', async () => {
    const shop = new Shop()
    const { page, client, events } = shop.open()
    shop.server.next('hang')
    void client.submit('checkout', order())
    void client.submit('checkout', order())
    await shop.arrivals(1)
    expect(types(events)).toContain('joined')
    const tab = shop.open({}, page.reload())
    await shop.ending(tab.client.operation('checkout').resume())
    expect(types(tab.events)).toEqual(['resumed', 'took-over', 'sent', 'answered', 'succeeded'])
  })

  it('never holds a whole key, a body or an address', async () => {
    const shop = new Shop()
    const { client, events } = shop.open({ retry: { maxAttempts: 2 } })
    const outcomes = []
    for (const key of ['abc', 'abcdefgh', undefined]) {
      shop.server.next('lose-reply')
      shop.server.next('cut-body')
      const request = { ...order({ item: 'ultramarine' }), ...(key ? { key } : {}) }
      outcomes.push(await shop.ending(client.submit(`checkout:${key}`, request)))
    }
    const told = JSON.stringify(events.map(({ operation: _, ...rest }) => rest))
    for (const outcome of outcomes) expect(told).not.toContain(`"${keyOf(outcome)}"`)
    expect(told).not.toContain('ultramarine')
    expect(told).not.toContain('shop.test')
  })
})

describe('what throws while it listens', () => {
  // What a listener throws is reported as an event listener's: here by the process.
  const reported: unknown[] = []
  const hear = (error: unknown) => void reported.push(error)
  let others: NodeJS.UncaughtExceptionListener[] = []
  beforeEach(() => {
    others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', hear)
  })
  afterEach(() => {
    process.removeAllListeners('uncaughtException')
    for (const other of others) process.on('uncaughtException', other)
  })

  it('an onEvent is reported and changes nothing', async () => {
    const shop = new Shop()
    const { client } = shop.open({
      onEvent: ({ type }) => {
        throw new Error(type)
      },
    })
    shop.server.next('lose-reply')
    const sent = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(reported).toContainEqual(new Error('claimed'))
    expect(shop.placed).toBe(1)
  })

  it.each([0, 1, 2, 3])('a subscriber after %i calls is so too', async calls => {
    const shop = new Shop()
    shop.server.next('lose-reply')
    const { client } = shop.open()
    const handle = client.operation('checkout')
    let left = calls
    handle.subscribe(() => {
      left -= 1
      if (left < 0) throw new RangeError(`After ${calls}.`)
    })
    const states = statesOf(client)
    const sent = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(states.at(-1)).toBe('succeeded')
    expect(reported).toContainEqual(new RangeError(`After ${calls}.`))
  })
})
