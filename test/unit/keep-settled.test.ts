import { idempotencyKey } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf } from './shop.ts'

const DAY_MS = 86_400_000

/** A page that is opened later sweeps what is left; opened and settled here. */
async function sweep(shop: Shop, options: Parameters<Shop['open']>[0] = {}) {
  const tab = shop.open(options)
  await shop.world.wait(5_000)
  return tab
}

describe('the body of an operation', () => {
  it('goes when it settles', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', order()))
    expect(shop.stored()?.request).toMatchObject({ body: { kept: true } })
    await shop.ending(client.submit('checkout', order()))
    await shop.ending(client.idle())
    expect(shop.stored()?.request).toMatchObject({ body: { kept: false } })
  })

  it('of an unknown one goes when its key expires, and the record stays', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const unknown = await shop.ending(client.submit('checkout', order()))
    await shop.world.wait(DAY_MS)
    const tab = await sweep(shop)
    expect(shop.stored()).toMatchObject({ key: keyOf(unknown), request: { body: { kept: false } } })
    expect(await shop.ending(tab.client.unsettled())).toMatchObject([
      { operation: 'checkout', snapshot: { state: 'unknown', resumable: false } },
    ])
  })
})

describe('a settled record', () => {
  it('keeps its answer for other pages for ten minutes, and leaves a stub', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const outcome = await shop.ending(client.submit('checkout', order()))
    const settledAt = shop.world.now()
    await shop.world.wait(599_000)
    await sweep(shop)
    expect(shop.world.now() - settledAt).toBe(604_000)
    await sweep(shop)
    expect(shop.stored()).toMatchObject({ stub: 'succeeded', key: keyOf(outcome) })
    expect(JSON.stringify(shop.stored())).not.toContain('answer')
  })

  it.each([
    [599_999, 'succeeded'],
    [600_000, 'idle'],
  ])('after %i ms a page that looks shows %s', async (ms, state) => {
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.submit('checkout', order()))
    const settledAt = shop.world.now()
    await shop.ending(client.idle())
    await shop.world.wait(settledAt + ms - shop.world.now())
    const tab = shop.open()
    const states = statesOf(tab.client)
    await shop.world.run()
    expect(states.at(-1)).toBe(state)
  })

  it('keeps its answer for as long as the app says, and that nobody was told of it while the key lives', async () => {
    const shop = new Shop()
    const { page, client } = shop.open({ keepSettledMs: 1_000 })
    void client.submit('checkout', order())
    await shop.world.run(() => (shop.stored()?.phase as { is?: string })?.is === 'succeeded')
    const options = { keepSettledMs: 1_000 }
    const tab = shop.open(options, page.reload())
    await shop.world.wait(1_000)
    const second = await shop.ending(tab.client.submit('checkout', order()))
    expect(second).toMatchObject({ state: 'succeeded', from: 'store', bodyLost: true })
    expect(shop.placed).toBe(1)
  })
})

describe('a stub', () => {
  it('stays until the lifetime of its key ends', async () => {
    const shop = new Shop()
    const options = { profile: idempotencyKey({ ttlMs: DAY_MS }) }
    const { client } = shop.open(options)
    await shop.ending(client.submit('checkout', order()))
    await shop.world.wait(DAY_MS - 10_000)
    await sweep(shop, options)
    expect(shop.stored()).toMatchObject({ stub: 'succeeded' })
    await shop.world.wait(10_000)
    await sweep(shop, options)
    expect(shop.stored()).toBeUndefined()
  })

  it('lets the next submit through', async () => {
    const shop = new Shop()
    const { client } = shop.open({ keepSettledMs: 0 })
    const first = await shop.ending(client.submit('checkout', order()))
    await shop.world.wait(5_000)
    const second = await shop.ending(client.submit('checkout', order()))
    expect(second.state).toBe('succeeded')
    expect(keyOf(second)).not.toBe(keyOf(first))
  })
})

describe('an unsettled record', () => {
  it('goes 30 days after its key expired, with an event', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', order()))
    const sentAt = shop.world.now()
    await shop.world.wait(31 * DAY_MS - 6_000)
    await sweep(shop)
    expect(shop.stored()).toBeDefined()
    await shop.world.wait(sentAt + 31 * DAY_MS - shop.world.now())
    const tab = await sweep(shop)
    expect(shop.stored()).toBeUndefined()
    expect(tab.events).toMatchObject([{ type: 'record-expired', operation: 'checkout' }])
  })
})

describe('the sweep', () => {
  it('leaves alone whose time has not come, others’ records and other clients’', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    const bob = shop.open({ scope: 'bob' })
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', order()))
    await shop.ending(bob.client.submit('checkout', order()))
    await shop.world.settle()
    const before = shop.records.records()
    await sweep(shop)
    expect(shop.records.records()).toEqual(before)
  })
})
