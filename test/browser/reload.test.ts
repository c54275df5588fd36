import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { oneShop, shown } from './shop.ts'

const chromium = oneChromium()
const shop = oneShop()

describe('a page that is reloaded in mid-flight', () => {
  const fill = (tab: ChromiumTab) => tab.type('[name=item]', ' of hours')

  const ways = {
    'resume()': (tab: ChromiumTab) =>
      tab.evaluate(() => window.checkout.hear(window.checkout.course().handle.resume())),
    'the same values': async (tab: ChromiumTab) => {
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
      const tab = await chromium().newTab(checkout({ operation, as }))
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

describe('a page that dies between the reply and its rendering', () => {
  const deaths = {
    'its process crashes': (tab: ChromiumTab) => tab.crash(),
    'the browser is killed': async () => {
      await chromium().kill()
      await chromium().restart()
    },
  }

  /** Asked for something that never comes, a page stands still. */
  const STANDSTILL = '/api/plain/orders'

  /** Submits, and resolves when the page stands still, in the microtask after it was told or after that was written. */
  async function standStill(tab: ChromiumTab, after: 'told' | 'written'): Promise<void> {
    const { server, until } = shop()
    server.next('hang', { path: STANDSTILL })
    await tab.evaluate(
      (after, url) => {
        const { client } = window.checkout
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
      // The page was told before it was written that it was: the same is sent again.
      ['told', { from: 'replay', attempts: 2 }],
      ['written', { from: 'store', attempts: 1, news: true }],
    ] as const)(
      'gets the first result by the same values when that was %s',
      async (after, known) => {
        const { checkout, arrivals, orders } = shop()
        const operation = `${how}: ${after}`
        const dying = await chromium().newTab(checkout({ operation }))
        await standStill(dying, after)
        await die(dying)

        const next = await chromium().newTab(checkout({ operation }))
        await next.click('button')
        const { told } = await next.evaluate(() => window.checkout.whenTold(1))
        const [order, ...others] = orders(operation)
        expect(others).toEqual([])
        const key = order?.key
        expect(told).toMatchObject([{ state: 'succeeded', key, data: { id: order?.id }, ...known }])
        const requests = arrivals(operation)
        expect(requests).toHaveLength(known.attempts)
        expect(new Set(requests.map(({ key }) => key))).toEqual(new Set([key]))
      },
    )
  })
})
