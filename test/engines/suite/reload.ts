import { describe, expect, it } from 'vitest'
import type { Browser, Tab } from '../../browser/driver/driver.ts'
import type { Shop } from '../../browser/shop.ts'
import { shown } from '../../browser/shop.ts'

/** @param triesOn A page that is being left may get one more attempt to the server before it is gone (docs/engines.md). */
export function survivesReloads(browser: () => Browser, shop: () => Shop, triesOn: boolean): void {
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
        const endings = triesOn ? ['unknown', 'succeeded'] : ['unknown']
        const found = await tab.waitFor(endings => {
          const { state } = window.checkout.course().handle.getSnapshot()
          return endings.includes(state) && state
        }, endings)
        const { key } = first
        if (found === 'unknown') {
          expect(await shown(tab)).toMatchObject({ reason: 'interrupted', resumable: true, key })
          await goOn(tab)
          const { told } = await tab.evaluate(() => window.checkout.whenTold(1))
          expect(told).toMatchObject([
            { state: 'succeeded', key, data: { id: orders(operation)[0]?.id } },
          ])
        }
        expect(orders(operation)).toHaveLength(1)
        const [, ...later] = arrivals(operation)
        const { bodyDigest } = first
        expect(later).toMatchObject(later.map(() => ({ key, bodyDigest })))
        if (triesOn) expect(later).not.toEqual([])
        else expect(later).toHaveLength(1)
      })
    })
  })
}
