import { expect, it } from 'vitest'
import type { Browser } from '../../browser/driver/driver.ts'
import type { Shop } from '../../browser/shop.ts'
import { shown } from '../../browser/shop.ts'

const RUNS = process.env.LONG ? 20 : 3
/** Starting a browser so often takes its time; no single run may take more than its share. */
const LIMIT_MS = RUNS * 60_000

export function survivesKills(browser: () => Browser, shop: () => Shop): void {
  it(
    `loses nothing and does nothing twice when the whole browser is killed in mid-flight`,
    async () => {
      const { server, checkout, arrival, arrivals, orders } = shop()
      for (let run = 1; run <= RUNS; run++) {
        const operation = `kill/${run}`
        server.next(run % 2 === 0 ? 'hang' : 'hang-after-effect')
        const dying = await browser().newTab(checkout({ operation }))
        await dying.type('[name=item]', ` of ${run} hours`)
        await dying.click('button')
        const first = await arrival(operation)
        await browser().kill()
        await browser().restart()

        const tab = await browser().newTab(checkout({ operation }))
        await tab.waitFor(() =>
          window.checkout.course().shown.some(({ state }) => state === 'unknown'),
        )
        const { key } = first
        expect(await shown(tab)).toMatchObject({ reason: 'interrupted', resumable: true, key })
        const { told } = await tab.evaluate(() => {
          window.checkout.hear(window.checkout.course().handle.resume())
          return window.checkout.whenTold(1)
        })
        const [order, ...others] = orders(operation)
        expect(others).toEqual([])
        expect(told).toMatchObject([{ state: 'succeeded', key, data: { id: order?.id } }])
        const [, second, ...repeats] = arrivals(operation)
        expect(repeats).toEqual([])
        expect(second).toMatchObject({ key, bodyDigest: first.bodyDigest })
      }
    },
    LIMIT_MS,
  )

  it('does nothing twice when a tab is closed before anybody saw the outcome', async () => {
    const { checkout, orders } = shop()
    const operation = 'closed'
    const closed = await browser().newTab(checkout({ operation }))
    const { state } = await closed.evaluate(() => {
      // By no timer can it take down that somebody has seen the outcome.
      Object.assign(window, { setTimeout: () => 0 })
      return window.checkout.submit()
    })
    expect(state).toBe('succeeded')
    await closed.close()

    const tab = await browser().newTab(checkout({ operation }))
    await tab.click('button')
    const { told } = await tab.evaluate(() => window.checkout.whenTold(1))
    const [order, ...others] = orders(operation)
    expect(others).toEqual([])
    expect(told).toMatchObject([{ state: 'succeeded', key: order?.key, data: { id: order?.id } }])
  })
}
