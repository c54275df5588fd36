import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

const changed = order({ item: 'pen' })

describe('another body', () => {
  it('while the operation is unknown is payload-changed: nothing sent, the record untouched', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const unknown = await shop.ending(client.submit('checkout', order()))
    const before = shop.stored()
    await expect(shop.ending(client.submit('checkout', changed))).rejects.toMatchObject({
      name: 'SendonceError',
      code: 'payload-changed',
    })
    await shop.world.settle()
    expect(shop.log).toHaveLength(1)
    expect(shop.stored()).toEqual(before)
    expect(client.operation('checkout').getSnapshot()).toMatchObject({
      state: 'unknown',
      key: unknown.key,
    })
    const settled = await shop.ending(client.operation('checkout').resume())
    expect(settled).toMatchObject({ state: 'succeeded', data: { item: 'book' } })
    const next = await shop.ending(client.submit('checkout', changed))
    expect(next).toMatchObject({ state: 'succeeded', data: { item: 'pen' } })
    expect(shop.keys).toHaveLength(2)
  })

  it('after a reload in mid-flight is payload-changed too', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    shop.server.next('hang-after-effect')
    void client.submit('checkout', order())
    await shop.arrivals(1)
    const tab = shop.open({}, page.reload())
    await expect(shop.ending(tab.client.submit('checkout', changed))).rejects.toMatchObject({
      code: 'payload-changed',
    })
    expect(shop.log).toHaveLength(1)
  })

  it('while the first is on the wire is payload-changed, and the first goes on', async () => {
    const shop = new Shop({ server: { workMs: 500 } })
    const { client } = shop.open()
    const first = watch(client.submit('checkout', order()))
    await shop.arrivals(1)
    const second = watch(client.submit('checkout', changed))
    await shop.world.settle()
    expect(second.error).toMatchObject({ code: 'payload-changed' })
    expect(first.value).toMatchObject({ state: 'succeeded' })
    expect(shop.server.ledger()).toMatchObject([{ item: 'book' }])
  })

  it('in the same task as the first is payload-changed', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const first = watch(client.submit('checkout', order()))
    const second = watch(client.submit('checkout', changed))
    await shop.world.settle()
    expect(first.value).toMatchObject({ state: 'succeeded' })
    expect(second.error).toMatchObject({ code: 'payload-changed' })
    expect(shop.placed).toBe(1)
  })

  it('while the first waits after an attempt without an answer is payload-changed', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 5 })
    const first = watch(client.submit('checkout', order()))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    const second = watch(client.submit('checkout', changed))
    await shop.world.settle()
    expect(second.error).toMatchObject({ code: 'payload-changed' })
    expect(first.value).toMatchObject({ state: 'succeeded' })
  })

  it('of another tab is payload-changed', async () => {
    const shop = new Shop({ server: { workMs: 500 } })
    const a = shop.open()
    const b = shop.open()
    const first = watch(a.client.submit('checkout', order()))
    await shop.arrivals(1)
    const second = watch(b.client.submit('checkout', changed))
    await shop.world.settle()
    expect(first.value).toMatchObject({ state: 'succeeded' })
    expect(second.error).toMatchObject({ code: 'payload-changed' })
    expect(shop.placed).toBe(1)
  })
})

describe('another body of an operation that was never executed', () => {
  it('that is paused is simply the new body, with a new key', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(401)
    const paused = await shop.ending(client.submit('checkout', order()))
    const outcome = await shop.ending(client.submit('checkout', changed))
    expect(outcome).toMatchObject({ state: 'succeeded', data: { item: 'pen' } })
    expect(keyOf(outcome)).not.toBe(keyOf(paused))
    expect(shop.keys).toHaveLength(2)
    expect(shop.server.ledger()).toMatchObject([{ item: 'pen' }])
  })

  it('that waits in this page replaces it at once', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 429, retryAfter: 60 })
    const first = watch(client.submit('checkout', order()))
    await shop.world.run(() => states.at(-1) === 'waiting:rate-limited')
    const began = shop.world.now()
    const second = await shop.ending(client.submit('checkout', changed))
    expect(second).toMatchObject({ state: 'succeeded', data: { item: 'pen' } })
    expect(shop.world.now()).toBe(began)
    await shop.world.settle()
    expect(first.value).toMatchObject({ state: 'paused', reason: 'rate-limited', attempts: 1 })
    expect(shop.keys).toHaveLength(2)
    expect(shop.server.ledger()).toMatchObject([{ item: 'pen' }])
  })

  it('that waits in another tab replaces it', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    shop.server.next({ is: 'status', status: 429, retryAfter: 30 })
    const first = watch(a.client.submit('checkout', order()))
    await shop.arrivals(1)
    await shop.world.wait(1_000)
    const second = await shop.ending(b.client.submit('checkout', changed))
    expect(second).toMatchObject({ state: 'succeeded', data: { item: 'pen' } })
    await shop.world.settle()
    expect(first.value ?? first.error).toBeDefined()
    expect(shop.server.ledger()).toMatchObject([{ item: 'pen' }])
  })
})

describe('what does not count as another body', () => {
  it('are fields that are volatile, which are sent as first submitted', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    const at = (sentAt: number) => ({ ...order({ sentAt }), volatile: ['/sentAt'] as const })
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', at(1)))
    const outcome = await shop.ending(client.submit('checkout', at(2)))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.keys).toHaveLength(1)
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('is the same form, with the same bytes after a reload', async () => {
    const shop = new Shop()
    const form = () => {
      const data = new FormData()
      data.append('item', 'book')
      data.append('photo', new File(['light'], 'photo.jpg', { type: 'image/jpeg' }))
      return { url: order().url, form: data }
    }
    const { page, client } = shop.open()
    shop.server.next('hang-after-effect')
    void client.submit('checkout', form())
    await shop.arrivals(1)
    const tab = shop.open({}, page.reload())
    const outcome = await shop.ending(tab.client.submit('checkout', form()))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay', attempts: 2 })
    expect(new Set(shop.log.map(({ headers }) => headers['content-type'])).size).toBe(1)
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })
})
