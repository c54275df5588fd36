import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

describe('discard', () => {
  it('while an attempt is on the wire rejects with in-flight', async () => {
    const shop = new Shop({ server: { workMs: 500 } })
    const { client } = shop.open()
    const sent = watch(client.submit('checkout', order()))
    await shop.arrivals(1)
    await expect(shop.ending(client.operation('checkout').discard())).rejects.toMatchObject({
      name: 'SendonceError',
      code: 'in-flight',
    })
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded' })
  })

  it('while another tab’s attempt is on the wire rejects with in-flight', async () => {
    const shop = new Shop({ server: { workMs: 500 } })
    const a = shop.open()
    const b = shop.open()
    const sent = watch(a.client.submit('checkout', order()))
    await shop.arrivals(1)
    await expect(shop.ending(b.client.operation('checkout').discard())).rejects.toMatchObject({
      code: 'in-flight',
    })
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.placed).toBe(1)
  })

  it('in a wait ends the turn, and nothing more is sent', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 60 })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    await shop.ending(client.operation('checkout').discard())
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown' })
    expect(shop.log).toHaveLength(1)
    expect(states.at(-1)).toBe('idle')
    expect(shop.stored()).toMatchObject({ stub: 'discarded' })
  })

  it('by another tab in a wait ends the turn too', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    shop.server.next({ is: 'status', status: 503, retryAfter: 60 })
    const sent = watch(a.client.submit('checkout', order()))
    await shop.arrivals(1)
    await shop.world.wait(1_000)
    await shop.ending(b.client.operation('checkout').discard())
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown' })
    expect(shop.log).toHaveLength(1)
  })

  it('is waited for by a submit in the same handler', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-request')
    const first = await shop.ending(client.submit('checkout', order()))
    void client.operation('checkout').discard()
    const second = await shop.ending(client.submit('checkout', order({ item: 'pen' })))
    expect(second).toMatchObject({ state: 'succeeded', data: { item: 'pen' } })
    expect(keyOf(second)).not.toBe(keyOf(first))
  })

  it('is waited for by a submit in the same handler while a turn waits', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 60 })
    const first = watch(client.submit('checkout', order()))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    const began = shop.world.now()
    void client.operation('checkout').discard()
    const second = await shop.ending(client.submit('checkout', order({ item: 'pen' })))
    expect(second).toMatchObject({ state: 'succeeded', data: { item: 'pen' } })
    expect(shop.world.now()).toBe(began)
    expect(first.value).toMatchObject({ state: 'unknown' })
    expect(shop.keys).toHaveLength(2)
  })

  it('of nothing does nothing', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.operation('checkout').discard())
    expect(shop.records.records()).toEqual([])
  })

  it('erases body, address and answer, and leaves a stub', async () => {
    const shop = new Shop()
    const { client, events } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const unknown = await shop.ending(client.submit('checkout', order()))
    await shop.ending(client.operation('checkout').discard())
    expect(JSON.stringify(shop.stored())).not.toContain('shop.test')
    expect(shop.stored()).toMatchObject({ stub: 'discarded', key: keyOf(unknown) })
    expect(events.at(-1)).toMatchObject({ type: 'discarded', operation: 'checkout' })
  })
})
