import { describe, expect, it } from 'vitest'
import { oneChromium } from './driver/one-chromium.ts'
import { oneShop, shown } from './shop.ts'

const chromium = oneChromium()
const shop = oneShop()

describe('a tab that is discarded while it waits for its answer', () => {
  it('makes way for a tab that waits, which sends the same key', async () => {
    const { server, checkout, arrival, arrivals, orders } = shop()
    const operation = 'discarded'
    server.next('hang-after-effect')
    const discarded = await chromium().openUnwatched(checkout({ operation, presses: 'itself' }))
    await arrival(operation)
    const waiting = await chromium().newTab(checkout({ operation }))
    await waiting.click('button')
    await waiting.waitFor(() =>
      window.checkout.course().shown.some(({ state }) => state === 'waiting'),
    )
    expect(await shown(waiting)).toMatchObject({ reason: 'other-tab', here: true, attempts: 1 })

    await discarded.discard()
    await waiting.show()
    const { told } = await waiting.evaluate(() => window.checkout.whenTold(1))
    await discarded.close()
    const [order, ...others] = orders(operation)
    expect(others).toEqual([])
    const { key } = order ?? {}
    expect(told).toMatchObject([{ state: 'succeeded', key, data: { id: order?.id }, attempts: 2 }])
    const [first, second, ...repeats] = arrivals(operation)
    expect(repeats).toEqual([])
    expect(first?.key).toBe(key)
    expect(second).toMatchObject({ key, bodyDigest: first?.bodyDigest })
  })

  it('leaves its order for the next page, which does not know and sends the same key when asked to', async () => {
    const { server, checkout, arrival, arrivals, orders } = shop()
    const operation = 'left'
    server.next('hang-after-effect')
    const discarded = await chromium().openUnwatched(checkout({ operation, presses: 'itself' }))
    await arrival(operation)
    await discarded.discard()
    await discarded.close()
    const next = await chromium().newTab(checkout({ operation }))
    await next.waitFor(() => window.checkout.course().shown.at(-1)?.state === 'unknown')
    const [order] = orders(operation)
    expect(await shown(next)).toMatchObject({ reason: 'interrupted', key: order?.key, attempts: 1 })
    await next.evaluate(() => window.checkout.hear(window.checkout.course().handle.resume()))
    const { told } = await next.evaluate(() => window.checkout.whenTold(1))
    expect(told).toMatchObject([{ state: 'succeeded', key: order?.key, data: { id: order?.id } }])
    expect(arrivals(operation).map(({ key }) => key)).toEqual([order?.key, order?.key])
    expect(orders(operation)).toHaveLength(1)
  })
})
