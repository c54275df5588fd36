import { describe, expect, it } from 'vitest'
import type { Browser, Tab } from '../../browser/driver/driver.ts'
import type { Shop } from '../../browser/shop.ts'

const AGAIN = { from: 'replay', attempts: 2 } as const
const FOUND = { from: 'store', attempts: 1, news: true } as const

/**
 * `deaths`: what can happen to a tab in this browser, after which none of its code runs. `writesOn`: while a page stands
 * still, what it has already asked of the database may still happen.
 */
export function survivesDeaths<T extends Tab>(
  browser: () => Omit<Browser, 'newTab'> & { newTab(url?: string): Promise<T> },
  shop: () => Shop,
  deaths: Readonly<Record<string, (tab: T) => Promise<void>>>,
  writesOn = false,
): void {
  describe('a page that dies between the reply and its rendering', () => {
    /** Asked for something that never comes, a page stands still. */
    const STANDSTILL = '/api/plain/orders'

    /** Submits, and resolves when the page stands still, in the microtask after it was told or after that was written. */
    async function standStill(tab: Tab, after: 'told' | 'written'): Promise<void> {
      const { server, until } = shop()
      server.next('hang', { path: STANDSTILL })
      await tab.evaluate(
        (after, url) => {
          const { client } = window.checkout
          // However slow it is: by no timer can it take down that somebody has seen the outcome.
          Object.assign(window, { setTimeout: () => 0 })
          const told = window.checkout.submit()
          const last = after === 'told' ? told : told.then(() => client.idle())
          void last.then(() => {
            const request = new XMLHttpRequest()
            request.open('POST', url, false)
            request.send()
          })
        },
        after,
        STANDSTILL,
      )
      await until(() => server.log({ path: STANDSTILL })[0])
    }

    describe.each(Object.entries(deaths))('as %s', (how, die) => {
      it.each([
        // The page was told before the outcome was written: the same is sent again.
        ['told', writesOn ? [AGAIN, FOUND] : [AGAIN]],
        ['written', [FOUND]],
      ] as const)(
        'gets the first result by the same values when that was %s',
        async (after, endings) => {
          const { checkout, arrivals, orders } = shop()
          const operation = `${how}: ${after}`
          const dying = await browser().newTab(checkout({ operation }))
          await standStill(dying, after)
          await die(dying)

          const next = await browser().newTab(checkout({ operation }))
          await next.click('button')
          const { told } = await next.evaluate(() => window.checkout.whenTold(1))
          const [order, ...others] = orders(operation)
          expect(others).toEqual([])
          const key = order?.key
          const requests = arrivals(operation)
          const ending = endings.find(({ attempts }) => attempts === requests.length)
          expect(ending).toBeDefined()
          expect(told).toMatchObject([
            { state: 'succeeded', key, data: { id: order?.id }, ...ending },
          ])
          expect(new Set(requests.map(({ key }) => key))).toEqual(new Set([key]))
        },
      )
    })
  })
}
