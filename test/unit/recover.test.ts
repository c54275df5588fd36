import { describe, expect, it } from 'vitest'
import { nameOf, statesOf, watch } from './shop.ts'
import { ORDERS, order, recover, short, TokenShop, tokenProfile } from './token-shop.ts'

const asking = tokenProfile({ recover })
const final = tokenProfile({ recover, recoverIsFinal: true })

describe('the verdict duplicate', () => {
  it('leads to the question, and what is found is the outcome', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(asking)
    shop.trouble.order.push('lose-reply')
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({
      state: 'succeeded',
      from: 'recover',
      attempts: 2,
      data: { id: 'token-1' },
    })
    expect(shop.orders).toHaveLength(1)
    const other = shop.open(asking)
    expect(await shop.ending(other.client.submit('checkout', order()))).toMatchObject({
      state: 'succeeded',
      from: 'store',
      data: { id: 'token-1' },
    })
  })

  it('of what was never applied leads to a fresh token only where that is final', async () => {
    for (const [profile, expected] of [
      [asking, 'unknown:token-spent'],
      [final, 'succeeded'],
    ] as const) {
      const shop = new TokenShop()
      const { client } = shop.open(profile)
      await shop.ending(client.operation('checkout').prepare())
      shop.tokens.clear()
      const outcome = await shop.ending(client.submit('checkout', order()))
      expect(short(outcome)).toBe(expected)
      expect(shop.orders).toHaveLength(expected === 'succeeded' ? 1 : 0)
      expect(shop.issued).toHaveLength(expected === 'succeeded' ? 2 : 1)
    }
  })

  it('is final so long after the last send as the profile says', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile({ recover, settleMs: 30_000 }))
    await shop.ending(client.operation('checkout').prepare())
    shop.tokens.clear()
    const submitted = await shop.ending(client.submit('checkout', order()))
    expect(short(submitted)).toBe('unknown:token-spent')
    const handle = client.operation('checkout')
    expect(short(await shop.ending(handle.recover()))).toBe('unknown:token-spent')
    await shop.world.wait(30_000)
    const asked = await shop.ending(handle.recover())
    expect(asked).toMatchObject({ state: 'paused', reason: 'unavailable' })
    const again = await shop.ending(handle.submit(order()))
    expect(again).toMatchObject({ state: 'succeeded', key: submitted.key })
    expect(shop.carried).toEqual(['token-1', 'token-2'])
    expect(shop.orders).toHaveLength(1)
  })

  it('of what is being worked on is asked again, and sends the same token alone', async () => {
    const shop = new TokenShop()
    let questions = 0
    const busy: typeof recover = async (context, ask) => {
      questions += 1
      return questions < 3 ? { is: 'in-progress' } : recover(context, ask)
    }
    const { client, events } = shop.open(tokenProfile({ recover: busy }))
    shop.trouble.order.push('lose-reply')
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'recover', attempts: 4 })
    expect(events.filter(({ type }) => type === 'waiting')).toMatchObject([
      { reason: 'backoff' },
      { reason: 'in-progress' },
      { reason: 'in-progress' },
    ])
    expect(shop.carried).toEqual(['token-1'])
    expect(shop.orders).toHaveLength(1)
  })

  it('of what is worked on for ever ends as unknown, in progress, when its time is over', async () => {
    const shop = new TokenShop()
    const profile = tokenProfile({
      recover: async () => ({ is: 'in-progress' }),
      pace: { inProgressLimitMs: 20_000 },
    })
    const { client, events } = shop.open(profile)
    shop.trouble.order.push('lose-reply')
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(short(outcome)).toBe('unknown:in-progress')
    const waits = events.filter(({ type }) => type === 'waiting').map(({ at }) => at)
    expect((events.at(-1)?.at ?? 0) - (waits[1] ?? 0)).toBe(20_000)
    const asked = await shop.ending(client.operation('checkout').recover())
    expect(short(asked)).toBe('unknown:in-progress')
    expect(shop.orders).toHaveLength(1)
  })

  it('is unknown where the question fails, hangs or throws', async () => {
    for (const failing of [
      async () => {
        throw new Error('no')
      },
      () => new Promise<never>(() => {}),
      () => {
        throw new Error('no')
      },
      async () => 'yes' as never,
    ]) {
      const shop = new TokenShop()
      const { client } = shop.open(tokenProfile({ recover: failing, recoverIsFinal: true }))
      shop.trouble.order.push('lose-reply')
      const outcome = await shop.ending(client.submit('checkout', order()))
      expect(outcome).toMatchObject({ state: 'unknown', reason: 'token-spent', recoverable: true })
      expect(shop.issued).toHaveLength(1)
    }
  })

  it('may find that it happened and nothing more: a success without data', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(
      tokenProfile({ recover: async () => ({ is: 'succeeded', data: undefined }) }),
    )
    shop.trouble.order.push('lose-reply')
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', bodyLost: false, data: undefined })
    expect(outcome).not.toHaveProperty('parseError')
  })
})

describe('recover()', () => {
  it('finds what happened of an operation that a dead page left, and sends no order', async () => {
    const shop = new TokenShop()
    const { client, page } = shop.open(asking)
    shop.trouble.order.push('lose-reply')
    void client.submit('checkout', order())
    await shop.world.run(() => shop.orders.length === 1)
    const next = shop.open(asking, {}, page.reload())
    const handle = next.client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.run()
    expect(handle.getSnapshot()).toMatchObject({ state: 'unknown', recoverable: true })
    const before = shop.log.length
    expect(await shop.ending(handle.recover())).toMatchObject({
      state: 'succeeded',
      from: 'recover',
      data: { id: 'token-1' },
    })
    expect(shop.log.slice(before)).toEqual(['GET /api/orders token-1'])
    expect(shop.orders).toHaveLength(1)
  })

  it('leaves the snapshot as it is while it asks: nothing is being sent', async () => {
    const shop = new TokenShop()
    const { client, page } = shop.open(asking)
    shop.trouble.order.push('lose-reply')
    void client.submit('checkout', order())
    await shop.world.run(() => shop.orders.length === 1)
    const next = shop.open(asking, {}, page.reload())
    const states = statesOf(next.client)
    await shop.world.run()
    await shop.ending(next.client.operation('checkout').recover())
    expect(states).toEqual(['idle', 'unknown:interrupted', 'succeeded'])
  })

  it('changes nothing where nothing is learnt', async () => {
    const shop = new TokenShop()
    const { client, page } = shop.open(asking)
    shop.trouble.order.push('hang')
    void client.submit('checkout', order())
    await shop.world.run(() => shop.carried.length === 1)
    const next = shop.open(asking, {}, page.reload())
    const handle = next.client.operation('checkout')
    expect(await shop.ending(handle.recover())).toMatchObject({ state: 'unknown', attempts: 1 })
    expect(await shop.ending(handle.resume())).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.orders).toHaveLength(1)
  })

  it('does not ask about an order that is on its way in another tab', async () => {
    const shop = new TokenShop()
    const one = shop.open(final)
    const other = shop.open(final)
    shop.trouble.order.push('hang')
    const sent = watch(one.client.submit('checkout', order()))
    await shop.world.run(() => shop.carried.length === 1)
    const asked = watch(other.client.operation('checkout').recover())
    await shop.world.wait(29_000)
    expect(shop.log.filter(line => line.startsWith('GET /api/orders'))).toEqual([])
    await shop.world.run(() => sent.value !== undefined && asked.value !== undefined)
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.orders).toHaveLength(1)
  })

  it('that is asked while another tab sends drops its answer', async () => {
    const shop = new TokenShop()
    const one = shop.open(final, { retry: { maxAttempts: 1 } })
    shop.trouble.order.push('lose-request')
    await shop.ending(one.client.submit('checkout', order()))
    const other = shop.open(final)
    const { server } = shop.world
    let asked: ((response: Response) => void) | undefined
    shop.world.server = request => {
      if (request.method === 'GET' && new URL(request.url).pathname === '/api/orders' && !asked) {
        return new Promise(resolve => {
          asked = resolve
        })
      }
      return server(request)
    }
    const recovered = watch(other.client.operation('checkout').recover())
    await shop.world.run(() => asked !== undefined)
    const resumed = await shop.ending(one.client.operation('checkout').resume())
    expect(resumed).toMatchObject({ state: 'succeeded' })
    asked?.(Response.json({}, { status: 404 }))
    await shop.world.run(() => recovered.value !== undefined)
    expect(recovered.value).toMatchObject({ state: 'succeeded' })
    expect(shop.issued).toHaveLength(1)
    expect(shop.orders).toHaveLength(1)
  })

  it('in one page: a submit meanwhile waits for the answer, a second question joins the first', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(asking, { retry: { maxAttempts: 1 } })
    shop.trouble.order.push('lose-reply')
    await shop.ending(client.submit('checkout', order()))
    const handle = client.operation('checkout')
    const before = shop.log.length
    const outcomes = await shop.ending(
      Promise.all([handle.recover(), handle.recover(), handle.submit(order())]),
    )
    expect(outcomes.map(short)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    expect(shop.log.slice(before)).toEqual(['GET /api/orders token-1'])
    expect(shop.orders).toHaveLength(1)
  })

  it('does not believe an answer from elsewhere', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(final, {
      retry: { maxAttempts: 1 },
      ky: async (url, { fetch: send, method, headers, body, signal, cache }) => {
        const init = { method, headers, body: body ?? null, signal, ...(cache && { cache }) }
        const response = await send(url, init)
        // As a browser shows an answer that it was redirected to.
        const elsewhere = method === 'GET' && !String(url).endsWith('token')
        return elsewhere
          ? Object.defineProperty(response, 'url', { value: 'http://login.test/' })
          : response
      },
    })
    shop.trouble.order.push('lose-request')
    await shop.ending(client.submit('checkout', order()))
    const asked = await shop.ending(client.operation('checkout').recover())
    expect(asked).toMatchObject({ state: 'unknown', cause: expect.any(TypeError) })
    expect(shop.log.at(-1)).toBe('GET /api/orders token-1')
  })

  it('works where sending again is never allowed', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile({ recover, guarantee: 'none' }))
    shop.trouble.order.push('lose-reply')
    const handle = client.operation('checkout')
    expect(await shop.ending(handle.submit(order()))).toMatchObject({
      reason: 'not-retryable',
      resumable: false,
      recoverable: true,
    })
    expect(short(await shop.ending(handle.recover()))).toBe('succeeded')
    expect(shop.orders).toHaveLength(1)
  })

  it('is told what was sent, key and token in their places', async () => {
    const shop = new TokenShop()
    let told: unknown
    const profile = tokenProfile({
      guarantee: 'none',
      key: { place: { body: '/no' } },
      recover: async context => {
        told = context
        return { is: 'unknown' }
      },
    })
    const { client } = shop.open(profile)
    shop.trouble.order.push('lose-reply')
    await shop.ending(client.submit('checkout', { ...order(), key: 'order-7' }))
    await shop.ending(client.operation('checkout').recover())
    expect(told).toEqual({
      operation: 'checkout',
      key: 'order-7',
      token: 'token-1',
      url: ORDERS,
      json: { item: 'book', no: 'order-7' },
      reply: undefined,
    })
  })

  it('rejects where the profile cannot ask, or nothing is there', async () => {
    const shop = new TokenShop()
    const none = shop.open(asking).client.operation('checkout')
    await expect(shop.ending(none.recover())).rejects.toMatchObject({ code: 'invalid-argument' })
    const mute = shop.open(tokenProfile(), { retry: { maxAttempts: 1 } }).client
    shop.trouble.order.push('lose-reply')
    expect(await shop.ending(mute.submit('checkout', order()))).toMatchObject({
      state: 'unknown',
      recoverable: false,
    })
    await expect(shop.ending(mute.operation('checkout').recover())).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('token-shop'),
    })
    await shop.world.run()
    expect(nameOf(mute.operation('checkout').getSnapshot())).toBe('unknown:attempts')
  })
})
