import { describe, expect, it } from 'vitest'
import { order, Shop } from './shop.ts'

const HOUR_MS = 3_600_000

describe('a clock that is set back by an hour', () => {
  it('after a discard does not keep the next submit from being one of its own', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-request')
    const first = await shop.ending(client.submit('checkout', order()))
    await shop.ending(client.operation('checkout').discard())
    shop.world.jump(-HOUR_MS)
    const second = await shop.ending(client.submit('checkout', order()))
    expect(second).toMatchObject({ state: 'succeeded' })
    expect(second.key).not.toBe(first.key)
    expect(shop.placed).toBe(1)
  })

  it('after a refusal does not show that refusal to the next submit', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(422)
    expect(await shop.ending(client.submit('checkout', order()))).toMatchObject({
      state: 'refused',
    })
    shop.world.jump(-HOUR_MS)
    expect(await shop.ending(client.submit('checkout', order()))).toMatchObject({
      state: 'succeeded',
    })
  })

  it('after a success lets the same order be placed on purpose', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.submit('checkout', order()))
    shop.world.jump(-HOUR_MS)
    await shop.world.wait(2_000)
    const second = await shop.ending(client.submit('checkout', order()))
    expect(second).toMatchObject({ state: 'succeeded', from: 'reply' })
    expect(shop.placed).toBe(2)
  })
})

describe('resumeAll()', () => {
  it('goes on with the others where one is discarded meanwhile', async () => {
    const shop = new Shop()
    const { client, page } = shop.open()
    shop.server.next('hang-after-effect', { requests: 2 })
    for (const name of ['one', 'two']) void client.submit(name, order({ item: name }))
    await shop.arrivals(2)
    const next = shop.open({}, page.reload()).client
    const unsettled = next.unsettled
    // Discarded between the list and the turn.
    next.unsettled = async () => {
      const list = await unsettled.call(next)
      await next.operation('one').discard()
      return list
    }
    const outcomes = await shop.ending(next.resumeAll())
    expect(outcomes).toMatchObject([{ operation: 'two', state: 'succeeded' }])
    expect(shop.placed).toBe(2)
  })
})
