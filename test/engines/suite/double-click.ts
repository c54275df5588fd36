import { expect, it } from 'vitest'
import type { Browser, Tab } from '../../browser/driver/driver.ts'
import type { Shop } from '../../browser/shop.ts'

const GAPS_MS = [0, 50]
const RUNS = process.env.LONG ? 50 : 3
/** So long that both presses come before it. */
const REPLY_MS = 300

const inputs = {
  'the mouse': (tab: Tab, gapMs: number) => tab.click('button', { times: 2, gapMs }),
  Enter: (tab: Tab, gapMs: number) => tab.press('Enter', { times: 2, gapMs }),
}

export function isOneOrderByDoubleClick(browser: () => Browser, shop: () => Shop): void {
  it.each(Object.entries(inputs))(
    'is one order by a double click with %s',
    async (input, twice) => {
      const { server, checkout, arrivals, orders } = shop()
      server.next({ is: 'slow-reply', ms: REPLY_MS }, { share: 1 })
      const tab = await browser().newTab(checkout())
      await tab.evaluate(() => document.querySelector('input')?.focus())
      for (const gapMs of GAPS_MS) {
        for (let run = 1; run <= RUNS; run++) {
          const operation = [input, gapMs, run].join('/')
          await tab.evaluate(operation => window.checkout.begin(operation), operation)
          await twice(tab, gapMs)
          const { presses, submits, told } = await tab.evaluate(() => window.checkout.whenTold(2))
          expect(submits).toBe(2)
          const [first, second] = presses
          expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(gapMs)
          const [order, ...others] = orders(operation)
          expect(others).toEqual([])
          const success = { state: 'succeeded', key: order?.key, data: { id: order?.id } }
          expect(told).toMatchObject([success, success])
          expect(arrivals(operation).map(({ key }) => key)).toEqual([order?.key])
        }
      }
    },
  )
}
