import type { KyLike } from 'sendonce'
import { businessNumber, idempotencyKey } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

describe('a second identical order on purpose', () => {
  it('a second later or more is a new operation with a new key', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const first = await shop.ending(client.submit('checkout', order()))
    await shop.world.wait(1_000)
    const second = await shop.ending(client.submit('checkout', order()))
    expect(second).toMatchObject({
      state: 'succeeded',
      from: 'reply',
      attempts: 1,
      data: { id: 'order-2' },
    })
    expect(keyOf(second)).not.toBe(keyOf(first))
    expect(shop.placed).toBe(2)
  })

  it.each([0, 60, 999])(
    '%i ms after the first is its second click, and gets its result',
    async ms => {
      const shop = new Shop()
      const { client } = shop.open()
      const first = await shop.ending(client.submit('checkout', order()))
      await shop.world.wait(ms)
      const second = await shop.ending(client.submit('checkout', order()))
      expect(second).toMatchObject({ state: 'succeeded', from: 'store', data: { id: 'order-1' } })
      expect(keyOf(second)).toBe(keyOf(first))
      expect(shop.log).toHaveLength(1)
      expect(shop.placed).toBe(1)
    },
  )

  it.each([
    [5_000, 4_999, 1],
    [5_000, 5_000, 2],
    [0, 0, 2],
  ])('joinMs %i: after %i ms there are %i', async (joinMs, ms, orders) => {
    const shop = new Shop()
    const { client } = shop.open({ joinMs })
    await shop.ending(client.submit('checkout', order()))
    await shop.world.wait(ms)
    await shop.ending(client.submit('checkout', order()))
    expect(shop.placed).toBe(orders)
  })

  it('is one in a page that has been reloaded after it was told', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    await shop.ending(client.submit('checkout', order()))
    await shop.world.settle()
    const tab = shop.open({}, page.reload())
    const second = await shop.ending(tab.client.submit('checkout', order()))
    expect(second).toMatchObject({ state: 'succeeded', from: 'reply', data: { id: 'order-2' } })
    expect(shop.placed).toBe(2)
  })

  it('with another body is one at once', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.submit('checkout', order()))
    const second = await shop.ending(client.submit('checkout', order({ item: 'pen' })))
    expect(second).toMatchObject({ state: 'succeeded', data: { item: 'pen' } })
    expect(shop.keys).toHaveLength(2)
    expect(shop.placed).toBe(2)
  })
})

describe('a page that did not know', () => {
  it('died between reply and rendering: the same values get the first result', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    void client.submit('checkout', order())
    await shop.world.run(() => (shop.stored()?.phase as { is?: string })?.is === 'succeeded')
    const tab = shop.open({}, page.reload())
    await shop.world.wait(60_000)
    const outcome = await shop.ending(tab.client.submit('checkout', order()))
    expect(outcome).toMatchObject({
      state: 'succeeded',
      from: 'store',
      news: true,
      data: { id: 'order-1', item: 'book', amount: 42 },
    })
    expect(shop.log).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('finds the result when it looks, as news', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    void client.submit('checkout', order())
    await shop.world.run(() => (shop.stored()?.phase as { is?: string })?.is === 'succeeded')
    const tab = shop.open({}, page.reload())
    const handle = tab.client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.run()
    expect(handle.getSnapshot()).toMatchObject({ state: 'succeeded', from: 'store', news: true })
    handle.acknowledge()
    await shop.world.settle()
    const next = shop.open({}, tab.page.reload())
    next.client.operation('checkout').subscribe(() => {})
    await shop.world.run()
    expect(next.client.operation('checkout').getSnapshot()).toMatchObject({ news: false })
  })

  it('was open in another tab meanwhile: gets the result that the first tab was told', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    await shop.ending(a.client.submit('checkout', order()))
    await shop.world.wait(60_000)
    const second = await shop.ending(b.client.submit('checkout', order()))
    expect(second).toMatchObject({ state: 'succeeded', from: 'store', news: false })
    expect(shop.placed).toBe(1)
    await shop.world.wait(1_000)
    const third = await shop.ending(b.client.submit('checkout', order()))
    expect(third).toMatchObject({ state: 'succeeded', from: 'reply' })
    expect(shop.placed).toBe(2)
  })

  it('came on screen after another was told: orders anew', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open({}, { visible: false })
    await shop.ending(a.client.submit('checkout', order()))
    await shop.world.wait(60_000)
    b.page.foreground()
    await shop.world.wait(1_000)
    const second = await shop.ending(b.client.submit('checkout', order()))
    expect(second).toMatchObject({ state: 'succeeded', from: 'reply' })
    expect(shop.placed).toBe(2)
  })
})

describe('once', () => {
  const request = { ...order(), once: true }

  it('a success answers identical submits until it is discarded', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    const first = await shop.ending(client.submit('checkout', request))
    await shop.world.wait(86_400_000)
    const tab = shop.open({}, page.reload())
    const second = await shop.ending(tab.client.submit('checkout', request))
    expect(second).toMatchObject({ state: 'succeeded', from: 'store', data: { id: 'order-1' } })
    expect(keyOf(second)).toBe(keyOf(first))
    await shop.ending(tab.client.operation('checkout').discard())
    const third = await shop.ending(tab.client.submit('checkout', request))
    expect(keyOf(third)).not.toBe(keyOf(first))
    expect(shop.placed).toBe(2)
  })

  it.each([
    [30 * 86_400_000 - 1, 1],
    [30 * 86_400_000, 2],
  ])('after %i ms there are %i orders', async (ms, orders) => {
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.submit('checkout', request))
    const settledAt = shop.world.now()
    await shop.ending(client.idle())
    await shop.world.wait(settledAt + ms - shop.world.now())
    await shop.ending(client.submit('checkout', request))
    expect(shop.placed).toBe(orders)
  })

  it('a refusal rotates as ever', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(400)
    const refused = await shop.ending(client.submit('checkout', request))
    const outcome = await shop.ending(client.submit('checkout', request))
    expect([refused.state, outcome.state]).toEqual(['refused', 'succeeded'])
    expect(shop.keys).toHaveLength(2)
  })
})

describe('the key', () => {
  it('is kept over every ending but success, refusal and discard', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1, deadlineMs: 5_000 } })
    for (const fault of [
      'lose-request',
      'lose-reply',
      401,
      503,
      'captive-portal',
      'hang',
    ] as const) {
      shop.server.next(fault)
      await shop.ending(client.submit('checkout', order()))
    }
    const controller = new AbortController()
    shop.server.next('hang')
    const aborted = client.submit('checkout', { ...order(), signal: controller.signal })
    await shop.arrivals(7)
    controller.abort()
    await shop.ending(aborted)
    const last = await shop.ending(client.submit('checkout', order()))
    expect(last).toMatchObject({ state: 'succeeded', attempts: 8 })
    expect(shop.keys).toEqual([keyOf(last)])
    expect(shop.bodies.filter(Boolean)).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('rotates after a refusal, also for the same body', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(400)
    const first = await shop.ending(client.submit('checkout', order()))
    const second = await shop.ending(client.submit('checkout', order()))
    expect([first.state, second.state]).toEqual(['refused', 'succeeded'])
    expect(keyOf(second)).not.toBe(keyOf(first))
  })

  it('is kept after a refusal where the profile says so, for the same body only', async () => {
    const shop = new Shop()
    const profile = idempotencyKey({ failureKey: 'keep' })
    const { client } = shop.open({ profile })
    shop.server.next(400, { requests: 2 })
    const first = await shop.ending(client.submit('checkout', order()))
    const second = await shop.ending(client.submit('checkout', order()))
    const third = await shop.ending(client.submit('checkout', order({ item: 'pen' })))
    expect(second).toMatchObject({ state: 'refused', key: keyOf(first), attempts: 2 })
    expect(third.state).toBe('succeeded')
    expect(keyOf(third)).not.toBe(keyOf(first))
  })

  it('rotates after discard', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-request')
    const first = await shop.ending(client.submit('checkout', order()))
    await shop.ending(client.operation('checkout').discard())
    const second = await shop.ending(client.submit('checkout', order({ item: 'pen' })))
    expect(second).toMatchObject({ state: 'succeeded', attempts: 1 })
    expect(keyOf(second)).not.toBe(keyOf(first))
  })

  it('is not sent again later than the server remembers it', async () => {
    const shop = new Shop({ server: { keyTtlMs: 3_600_000 } })
    const { client } = shop.open({
      profile: idempotencyKey({ ttlMs: 3_600_000 }),
      retry: { maxAttempts: 1 },
    })
    const states = statesOf(client)
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', order()))
    await shop.world.wait(3_600_000)
    const resumed = await shop.ending(client.operation('checkout').resume())
    expect(resumed).toMatchObject({ state: 'unknown', reason: 'key-expired', resumable: false })
    const submitted = await shop.ending(client.submit('checkout', order()))
    expect(submitted).toMatchObject({ state: 'unknown', reason: 'key-expired' })
    expect(states.at(-1)).toBe('unknown:key-expired')
    expect(await shop.ending(client.resumeAll())).toEqual([])
    expect(shop.log).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('may be the caller’s own, and goes on the wire as it is', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next('lose-reply')
    const request = { ...order(), key: 'ORDER-12345' }
    const outcome = await shop.ending(client.submit('checkout', request))
    expect(outcome).toMatchObject({ state: 'succeeded', key: 'ORDER-12345' })
    expect(shop.log.map(({ key }) => key)).toEqual(['ORDER-12345', 'ORDER-12345'])
  })

  it('is quoted where the profile says so', async () => {
    const shop = new Shop()
    const { client } = shop.open({ profile: idempotencyKey({ quoted: true }) })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(shop.keys).toEqual([`"${keyOf(outcome)}"`])
  })
})

describe('a refusal whose key is kept', () => {
  const profile = businessNumber({ place: { header: 'idempotency-key' } })

  it('is not told anew where a hook throws and nothing is sent', async () => {
    const shop = new Shop()
    let broken = false
    const ky: KyLike = async (url, options) => {
      if (broken) throw new Error('No session.')
      return options.fetch(new Request(url, options))
    }
    const { client } = shop.open({ profile, ky })
    shop.server.next({ is: 'status', status: 422 })
    expect(await shop.ending(client.submit('checkout', order()))).toMatchObject({
      state: 'refused',
    })
    await shop.world.wait(60_000)
    broken = true
    const second = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(second.error).toMatchObject({ code: 'not-sent' })
    expect(shop.log).toHaveLength(1)
    expect(shop.stored()).toMatchObject({ phase: { is: 'refused' } })
  })

  it('is not told anew where the page was hidden before anything left', async () => {
    const shop = new Shop()
    let isLate = false
    const ky: KyLike = async (url, options) => {
      if (isLate) {
        isLate = false
        await new Promise<void>(resolve => void page.platform.timer(5_000, () => resolve()))
      }
      return options.fetch(new Request(url, options))
    }
    const { client, page } = shop.open({ profile, ky })
    shop.server.next({ is: 'status', status: 422 })
    expect(await shop.ending(client.submit('checkout', order()))).toMatchObject({
      state: 'refused',
    })
    await shop.world.wait(60_000)
    isLate = true
    const second = watch(client.submit('checkout', order()))
    await shop.world.wait(100)
    page.hide()
    page.show()
    await shop.world.settle()
    expect(second.value).toMatchObject({ state: 'succeeded' })
  })
})
