import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

describe('offline', () => {
  it('uses up nothing, neither attempts nor the deadline', async () => {
    const shop = new Shop()
    const { page, client } = shop.open({ retry: { maxAttempts: 1, deadlineMs: 60_000 } })
    const states = statesOf(client)
    page.offline()
    const sent = watch(client.submit('checkout', order()))
    await shop.world.wait(3_600_000)
    expect(sent).toEqual({})
    expect(new Set(states)).toEqual(new Set(['idle', 'sending', 'waiting:offline']))
    page.online()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.log).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('ends with the next attempt in the task of online', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    page.offline()
    const sent = client.submit('checkout', order())
    await shop.world.wait(10_000)
    const online = shop.world.now()
    page.online()
    await shop.ending(sent)
    expect(shop.world.now()).toBe(online)
    const after = shop.world.trace.slice(
      shop.world.trace.findLastIndex(({ kind }) => kind === 'event'),
    )
    expect(after.map(({ kind }) => kind)).not.toContain('timer')
  })

  it('ends a backoff, too, where no time was named', async () => {
    const shop = new Shop()
    const { page, client } = shop.open({ retry: { baseDelayMs: 30_000 } })
    const states = statesOf(client)
    shop.server.next('lose-reply')
    const sent = client.submit('checkout', order())
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    const online = shop.world.now()
    page.offline()
    page.online()
    expect(await shop.ending(sent)).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.world.now()).toBe(online)
  })

  it('is only a hint: where the network works all the same it is tried', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    page.offline('works')
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  it('is probed every 30 s, where no event says that it is over', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    const began = shop.world.now()
    page.offline()
    const sent = client.submit('checkout', order())
    await shop.world.wait(100_000)
    page.connected = true
    expect(await shop.ending(sent)).toMatchObject({ state: 'succeeded' })
    expect(shop.log.map(({ at }) => at - began)).toEqual([120_000])
    expect(shop.keys).toHaveLength(1)
  })

  it('an attempt that the network broke is sent again with the same key', async () => {
    const shop = new Shop({ server: { workMs: 1_000 } })
    const { page, client } = shop.open()
    const sent = client.submit('checkout', order())
    await shop.arrivals(1)
    page.offline()
    await shop.world.wait(60_000)
    page.online()
    const outcome = await shop.ending(sent)
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.placed).toBe(1)
  })

  it('an abort ends the wait at once', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    const controller = new AbortController()
    page.offline()
    const sent = client.submit('checkout', { ...order(), signal: controller.signal })
    await shop.world.wait(1_000)
    controller.abort()
    expect(await shop.ending(sent)).toMatchObject({ state: 'unknown', reason: 'aborted' })
  })
})

describe('a page that comes on screen', () => {
  it('goes on at once where no time was named', async () => {
    const shop = new Shop()
    const { page, client } = shop.open({ retry: { baseDelayMs: 30_000 } })
    const states = statesOf(client)
    shop.server.next('lose-reply')
    const sent = client.submit('checkout', order())
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    const now = shop.world.now()
    page.background()
    page.foreground()
    await shop.ending(sent)
    expect(shop.world.now()).toBe(now)
  })

  it('goes on at once after a sleep in which the time has come', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 60 })
    const sent = client.submit('checkout', order())
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    // The wall clock went on while the machine slept; its timers did not.
    shop.world.jump(3_600_000)
    const now = shop.world.now()
    page.foreground()
    expect(await shop.ending(sent)).toMatchObject({ state: 'succeeded' })
    expect(shop.world.now()).toBe(now)
  })
})
