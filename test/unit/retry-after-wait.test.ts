import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

describe('Retry-After', () => {
  it.each<readonly [name: string, retryAfter: number | string | { inMs: number }, ms: number]>([
    ['0', 0, 0],
    ['seconds', 7, 7_000],
    ['a date', { inMs: 9_000 }, 9_000],
    ['a date that has passed', { inMs: -9_000 }, 0],
  ])('%s is obeyed', async (_, retryAfter, ms) => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next({ is: 'status', status: 503, retryAfter })
    const began = shop.world.now()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.log.map(({ at }) => at - began)).toEqual([0, ms])
    expect(shop.keys).toHaveLength(1)
  })

  it.each(['soon', '-5', '1.5', '1e3', ''])(
    '%j says nothing: the backoff is the policy’s',
    async retryAfter => {
      const shop = new Shop()
      const { client } = shop.open({ retry: { baseDelayMs: 400, maxDelayMs: 400 } })
      shop.server.next({ is: 'status', status: 503, retryAfter })
      const began = shop.world.now()
      await shop.ending(client.submit('checkout', order()))
      const [, second] = shop.log
      expect(second && second.at - began).toBeLessThanOrEqual(400)
      expect(shop.placed).toBe(1)
    },
  )

  it.each([503, 429, 409])(
    '10^9 seconds with %i ends the turn instead of sleeping',
    async status => {
      const shop = new Shop()
      const { client } = shop.open()
      const states = statesOf(client)
      shop.server.next({ is: 'status', status, retryAfter: 1_000_000_000 })
      const began = shop.world.now()
      const outcome = await shop.ending(client.submit('checkout', order()))
      expect(shop.world.now()).toBe(began)
      const nextAttemptAt = began + 1e12
      expect(outcome).toMatchObject(
        status === 429
          ? { state: 'paused', reason: 'rate-limited', nextAttemptAt }
          : { state: 'unknown', reason: 'deadline', nextAttemptAt },
      )
      expect(states).toEqual(['idle', 'sending', states.at(-1)])
      expect(shop.log).toHaveLength(1)
    },
  )

  it('is persisted and honoured by a resume, a submit, a reload and another tab', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    shop.server.next({ is: 'status', status: 503, retryAfter: 300 })
    const began = shop.world.now()
    const first = await shop.ending(client.submit('checkout', order()))
    expect(first).toMatchObject({
      state: 'unknown',
      reason: 'deadline',
      nextAttemptAt: began + 300_000,
    })
    const early = await shop.ending(client.operation('checkout').resume())
    expect(early).toMatchObject({ state: 'unknown', nextAttemptAt: began + 300_000 })
    const tab = shop.open()
    expect(await shop.ending(tab.client.submit('checkout', order()))).toMatchObject({
      state: 'unknown',
      nextAttemptAt: began + 300_000,
    })
    const reloaded = shop.open({}, page.reload())
    await shop.ending(reloaded.client.resumeAll())
    expect(shop.log).toHaveLength(1)
    await shop.world.wait(began + 250_000 - shop.world.now())
    const late = await shop.ending(reloaded.client.operation('checkout').resume())
    expect(late).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.log.map(({ at }) => at - began)).toEqual([0, 300_000])
    expect(keyOf(late)).toBe(keyOf(first))
  })

  it.each([503, 429])('is kept for the next turn and a backoff is not: %i', async status => {
    const shop = new Shop()
    // No wait fits into such a turn.
    const retry = { baseDelayMs: 1e9, maxDelayMs: 1e9, deadlineMs: 1 }
    const { client } = shop.open({ retry })
    shop.server.next({ is: 'status', status })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: status === 429 ? 'paused' : 'unknown' })
    expect(outcome).not.toHaveProperty('nextAttemptAt', expect.anything())
    const began = shop.world.now()
    const resumed = await shop.ending(client.operation('checkout').resume())
    expect(resumed).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.world.now()).toBe(began)
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('is never beaten by the network or the person coming back', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 30 })
    const began = shop.world.now()
    const sent = client.submit('checkout', order())
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    page.offline()
    page.background()
    page.online()
    page.foreground()
    await shop.ending(sent)
    expect(shop.log.map(({ at }) => at - began)).toEqual([0, 30_000])
  })

  it('does not wait for ever behind a clock that was set back', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 10 })
    const began = shop.world.now()
    const sent = watch(client.submit('checkout', order()))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    shop.world.jump(-86_400_000)
    await shop.world.wait(20_000)
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.world.now()).toBe(began - 86_400_000 + 20_000)
  })

  it('does not hammer after a clock that was set back and a reload', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    shop.server.next({ is: 'status', status: 503, retryAfter: 100 })
    void client.submit('checkout', order())
    await shop.arrivals(1)
    await shop.world.wait(1_000)
    const tab = shop.open({}, page.reload())
    shop.world.jump(-86_400_000)
    const sent = watch(tab.client.operation('checkout').resume())
    await shop.world.wait(99_000)
    expect(shop.log).toHaveLength(1)
    await shop.world.wait(2_000)
    expect(shop.log).toHaveLength(2)
    expect(sent.value).toMatchObject({ state: 'succeeded' })
  })
})

describe('the backoff', () => {
  it('is anything from nothing to twice as much each time, up to its most', async () => {
    const shop = new Shop({ world: { seed: 7 } })
    const { client } = shop.open({ retry: { baseDelayMs: 1_000, maxDelayMs: 4_000 } })
    shop.server.next(503, { requests: 99 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'attempts', attempts: 8 })
    const gaps = shop.log.slice(1).map(({ at }, place) => at - (shop.log[place]?.at ?? 0))
    const most = [1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000]
    expect(gaps.map((gap, place) => gap >= 0 && gap <= (most[place] ?? 0))).toEqual(
      most.map(() => true),
    )
    expect(new Set(gaps).size).toBe(gaps.length)
  })
})
