import { describe, expect, it } from 'vitest'
import type { Browser, Tab } from '../../browser/driver/driver.ts'
import type { Shop } from '../../browser/shop.ts'
import { shown } from '../../browser/shop.ts'

export function survivesReloads(browser: () => Browser, shop: () => Shop): void {
  describe('a page that is reloaded in mid-flight', () => {
    const fill = (tab: Tab) => tab.type('[name=item]', ' of hours')

    const ways = {
      'resume()': (tab: Tab) =>
        tab.evaluate(() => window.checkout.hear(window.checkout.course().handle.resume())),
      'the same values': async (tab: Tab) => {
        await fill(tab)
        await tab.click('button')
      },
    }

    const flights = [
      ['json', 'was placed', 'hang-after-effect'],
      ['json', 'was not placed', 'hang'],
      ['form', 'was placed', 'hang-after-effect'],
    ] as const

    describe.each(Object.entries(ways))('goes on by %s', (way, goOn) => {
      it.each(flights)('with the same key and %s when the order %s', async (as, what, fault) => {
        const { server, checkout, arrival, arrivals, orders } = shop()
        const operation = `${way}: ${as} ${what}`
        server.next(fault)
        const tab = await browser().newTab(checkout({ operation, as }))
        await fill(tab)
        await tab.click('button')
        const first = await arrival(operation)
        await tab.reload()
        await tab.waitFor(() =>
          window.checkout.course().shown.some(({ state }) => state === 'unknown'),
        )
        const { key } = first
        expect(await shown(tab)).toMatchObject({ reason: 'interrupted', resumable: true, key })

        await goOn(tab)
        const { told } = await tab.evaluate(() => window.checkout.whenTold(1))
        const [order, ...others] = orders(operation)
        expect(others).toEqual([])
        expect(told).toMatchObject([{ state: 'succeeded', key, data: { id: order?.id } }])
        const [, second, ...repeats] = arrivals(operation)
        expect(repeats).toEqual([])
        expect(second).toMatchObject({ key, bodyDigest: first.bodyDigest })
      })
    })
  })
}
