import { idempotencyKey } from 'sendonce'
import { describe, expect, it } from 'vitest'
import type { Kind } from '../support/world/agenda.ts'
import { keyOf, nameOf, order, Shop, statesOf, watch } from './shop.ts'

/** A page that died with a request on its way, and the one in its place. */
async function died(shop: Shop) {
  const { page, client } = shop.open()
  shop.server.next('hang-after-effect')
  void client.submit('checkout', order())
  await shop.arrivals(1)
  return shop.open({}, page.reload())
}

describe('a reload in mid-flight', () => {
  it('leaves the operation unknown: interrupted, with its key', async () => {
    const shop = new Shop()
    const { client } = await died(shop)
    const states = statesOf(client)
    await shop.world.run()
    expect(states).toEqual(['idle', 'unknown:interrupted'])
    expect(client.operation('checkout').getSnapshot()).toMatchObject({
      operation: 'checkout',
      state: 'unknown',
      reason: 'interrupted',
      key: shop.keys[0],
      attempts: 1,
      durable: true,
      resumable: true,
      recoverable: false,
    })
    expect(await shop.ending(client.unsettled())).toMatchObject([
      { operation: 'checkout', snapshot: { state: 'unknown', reason: 'interrupted' } },
    ])
  })

  it('resume() sends the same key and bytes', async () => {
    const shop = new Shop()
    const { client } = await died(shop)
    const outcome = await shop.ending(client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(shop.log).toHaveLength(2)
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('resume() shows no other tab where the page that had it is gone', async () => {
    const shop = new Shop()
    const { client } = await died(shop)
    const states = statesOf(client)
    await shop.world.run()
    await shop.ending(client.operation('checkout').resume())
    expect(states).toEqual(['idle', 'unknown:interrupted', 'sending', 'succeeded'])
  })

  it('is listed no more when its caller hears of it, and seen as nothing else', async () => {
    const shop = new Shop()
    const { client } = await died(shop)
    const states = statesOf(client)
    await shop.world.run()
    const listed = client
      .operation('checkout')
      .resume()
      .then(() => client.unsettled())
    expect(await shop.ending(listed)).toEqual([])
    await shop.world.settle()
    expect(states).toEqual(['idle', 'unknown:interrupted', 'sending', 'succeeded'])
  })

  it('is seen as what became of it, whenever somebody looked meanwhile', async () => {
    let places = 1
    for (let place = 0; place < places; place += 1) {
      const shop = new Shop()
      const { client } = await died(shop)
      const states = statesOf(client)
      await shop.world.run()
      const from = shop.world.trace.length
      const lists: Promise<unknown>[] = []
      shop.world.at = (_, at) => {
        if (at !== from + place) return
        client.operation('checkout').subscribe(() => {})
        lists.push(client.unsettled())
      }
      await shop.ending(client.operation('checkout').resume())
      await shop.world.settle()
      places = Math.max(places, shop.world.trace.length - from)
      await Promise.all(lists)
      expect([place, states.at(-1)]).toEqual([place, 'succeeded'])
      expect(states.lastIndexOf('unknown:interrupted')).toBe(1)
    }
    expect(places).toBeGreaterThan(8)
  })

  it('the same values submitted again send the same key and bytes', async () => {
    const shop = new Shop()
    const { client } = await died(shop)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('resumeAll() goes on with it, in a page that is seen', async () => {
    const shop = new Shop()
    const { page, client } = await died(shop)
    page.background()
    expect(await shop.ending(client.resumeAll())).toEqual([])
    page.foreground()
    expect(await shop.ending(client.resumeAll())).toMatchObject([{ state: 'succeeded' }])
    expect(await shop.ending(client.unsettled())).toEqual([])
    expect(shop.placed).toBe(1)
  })

  it('in a wait goes on no earlier than the server asked', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    shop.server.next({ is: 'status', status: 503, retryAfter: 20 })
    const began = shop.world.now()
    void client.submit('checkout', order())
    await shop.arrivals(1)
    await shop.world.wait(1_000)
    const tab = shop.open({}, page.reload())
    await shop.ending(tab.client.operation('checkout').resume())
    expect(shop.log.map(({ at }) => at - began)).toEqual([0, 20_000])
  })

  it('of an operation that was never executed leaves it paused', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    shop.server.next({ is: 'status', status: 429, retryAfter: 20 })
    void client.submit('checkout', order())
    await shop.arrivals(1)
    await shop.world.wait(1_000)
    const tab = shop.open({}, page.reload())
    const states = statesOf(tab.client)
    await shop.world.run()
    expect(states.at(-1)).toBe('paused:rate-limited')
    expect(await shop.ending(tab.client.resumeAll())).toMatchObject([{ state: 'succeeded' }])
    expect(shop.keys).toHaveLength(1)
  })

  it.each<Kind>(['digest', 'store', 'stored', 'send', 'serve', 'reply', 'body'])(
    'at the first %s, lost or arrived, leaves one order in the end',
    async kind => {
      for (const inFlight of ['lost', 'arrives'] as const) {
        const shop = new Shop()
        const { page, client } = shop.open()
        await shop.world.settle()
        shop.world.at = point => {
          if (point.kind !== kind) return
          shop.world.at = undefined
          page.kill(inFlight)
        }
        // What is small is summed up at once, and waits for no digest.
        const large = order({ note: 'x'.repeat(3_000) })
        void client.submit('checkout', large)
        await shop.world.settle()
        expect(page.life).toBe('dead')
        const tab = shop.open({}, page.reload())
        const outcome = await shop.ending(tab.client.submit('checkout', large))
        expect(outcome.state).toBe('succeeded')
        expect(shop.keys).toHaveLength(1)
        expect(shop.placed).toBe(1)
      }
    },
  )
})

describe('a record after a deploy', () => {
  it('whose profile is not registered any more is profile-missing, and not sent', async () => {
    const shop = new Shop()
    const profile = { ...idempotencyKey(), id: 'old' }
    const { page, client } = shop.open({ profile })
    shop.server.next('hang')
    void client.submit('checkout', order())
    await shop.arrivals(1)
    const tab = shop.open({}, page.reload())
    const resumed = await shop.ending(tab.client.operation('checkout').resume())
    expect(resumed).toMatchObject({
      state: 'unknown',
      reason: 'profile-missing',
      resumable: false,
    })
    expect(shop.log).toHaveLength(1)
    const again = shop.open({ profiles: [profile] }, tab.page.reload())
    const outcome = await shop.ending(again.client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.keys).toHaveLength(1)
  })

  it('whose profile sends the key in another form keeps the form that it had', async () => {
    const shop = new Shop()
    const { page, client } = shop.open({ profile: idempotencyKey() })
    shop.server.next('hang')
    void client.submit('checkout', order())
    await shop.arrivals(1)
    const quoted = idempotencyKey({ quoted: true })
    const options = { profile: quoted, profiles: [idempotencyKey()] }
    const tab = shop.open(options, page.reload())
    const outcome = await shop.ending(tab.client.operation('checkout').resume())
    expect(outcome.state).toBe('succeeded')
    expect(shop.keys).toEqual([keyOf(outcome)])
  })
})

describe('a server that promises no replay', () => {
  it.each(['window', 'none'] as const)(
    '%s: nothing is sent again by itself, or by hand',
    async guarantee => {
      const shop = new Shop()
      const profile = { ...idempotencyKey(), id: guarantee, guarantee }
      const { client } = shop.open({ profile })
      shop.server.next('lose-reply')
      const outcome = await shop.ending(client.submit('checkout', order()))
      expect(outcome).toMatchObject({
        state: 'unknown',
        reason: 'not-retryable',
        resumable: false,
        attempts: 1,
      })
      expect(await shop.ending(client.operation('checkout').resume())).toMatchObject({
        state: 'unknown',
        reason: 'not-retryable',
      })
      expect(await shop.ending(client.submit('checkout', order()))).toMatchObject({
        state: 'unknown',
        reason: 'not-retryable',
      })
      expect(await shop.ending(client.resumeAll())).toEqual([])
      expect(shop.log).toHaveLength(1)
      await shop.ending(client.operation('checkout').discard())
      expect(await shop.ending(client.submit('checkout', order()))).toMatchObject({
        state: 'succeeded',
      })
      expect(shop.keys).toHaveLength(2)
    },
  )

  it('none, without a key: a double click is still one order', async () => {
    const shop = new Shop()
    const profile = { ...idempotencyKey(), id: 'keyless', guarantee: 'none', key: null } as const
    const { client } = shop.open({ profile })
    const url = 'http://shop.test/api/plain/orders'
    const request = { ...order(), url }
    const both = Promise.all([
      client.submit('checkout', request),
      client.submit('checkout', request),
    ])
    const [first] = await shop.ending(both)
    expect(first).toMatchObject({ state: 'succeeded', key: undefined })
    expect(shop.log.map(({ key }) => key)).toEqual([undefined])
    expect(shop.placed).toBe(1)
  })

  it('none: a reload in mid-flight is never sent again', async () => {
    const shop = new Shop()
    const profile = { ...idempotencyKey(), id: 'none', guarantee: 'none' } as const
    const { page, client } = shop.open({ profile })
    shop.server.next('hang-after-effect')
    void client.submit('checkout', order())
    await shop.arrivals(1)
    const tab = shop.open({ profile }, page.reload())
    const handle = tab.client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.run()
    expect(handle.getSnapshot()).toMatchObject({ state: 'unknown', resumable: false })
    const outcome = await shop.ending(tab.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'not-retryable' })
    expect(nameOf(handle.getSnapshot())).toBe('unknown:not-retryable')
    expect(shop.log).toHaveLength(1)
  })
})

describe('one fetch that arrives three times', () => {
  it('is one order', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next('reset-reused', { requests: 2 })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded', attempts: 1 })
    expect(shop.log).toHaveLength(3)
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })
})
