import { afterAll, describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { oneShop } from './shop.ts'

const chromium = oneChromium()
const shop = oneShop()

const GAPS_MS = [0, 10, 50, 80]
const RUNS = process.env.LONG ? 100 : 3

const inputs = {
  'the mouse': (tab: ChromiumTab, gapMs: number) => tab.click('button', { times: 2, gapMs }),
  Enter: (tab: ChromiumTab, gapMs: number) => tab.press('Enter', { times: 2, gapMs }),
}

/** Runs that wait for their answers together: as many as a browser opens connections to one host. */
const TOGETHER = 6

let done = 0
afterAll(() => console.log(`${done} double clicks of two submit events each: ${done} orders.`))

describe.each([1, 6, 20])('at 1/%i of the speed', slowdown => {
  describe.each(Object.entries(inputs))('a double click with %s', (input, twice) => {
    it.each([5, 100, 1_000])('is one order where the answer takes %i ms', async replyMs => {
      const { server, checkout, arrivals, orders } = shop()
      server.next({ is: 'slow-reply', ms: replyMs }, { share: 1 })
      const tab = await chromium().newTab(checkout())
      await tab.evaluate(() => document.querySelector('input')?.focus())

      const runs = GAPS_MS.flatMap(gapMs =>
        Array.from({ length: RUNS }, (_, run) => ({
          gapMs,
          operation: [slowdown, input, replyMs, gapMs, run].join('/'),
        })),
      )
      while (runs.length > 0) {
        const batch = runs.splice(0, TOGETHER)
        for (const { gapMs, operation } of batch) {
          await tab.evaluate(operation => window.checkout.begin(operation), operation)
          // Slow until both events were handled: what comes after them is the same for one.
          await tab.throttleCpu(slowdown)
          await twice(tab, gapMs)
          await tab.throttleCpu(1)
        }
        for (const { gapMs, operation } of batch) {
          const { presses, submits, told } = await tab.evaluate(
            operation => window.checkout.whenTold(2, operation),
            operation,
          )
          expect(submits).toBe(2)
          const [first, second] = presses
          expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(gapMs)

          const [order, ...others] = orders(operation)
          expect(others).toEqual([])
          const success = { state: 'succeeded', key: order?.key, data: { id: order?.id } }
          expect(told).toMatchObject([success, success])
          expect(arrivals(operation).map(({ key }) => key)).toEqual([order?.key])
          done += 1
        }
      }
    })
  })
})
