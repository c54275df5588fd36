import { expect, it } from 'vitest'
import type { Browser, Tab } from '../../browser/driver/driver.ts'
import type { Shop } from '../../browser/shop.ts'

declare global {
  interface Window {
    release?: BroadcastChannel
  }
}

export function isOneOrderInTwoTabs(browser: () => Browser, shop: () => Shop, runs: number): void {
  it('lets two tabs that submit at once place one order', async () => {
    const { checkout, arrivals, orders, origin } = shop()
    const tabs: Tab[] = []
    for (const name of ['one', 'two']) {
      const tab = await browser().newTab(checkout({ name }))
      await tab.evaluate(() => {
        new BroadcastChannel('release').onmessage = () => {
          document.querySelector('form')?.requestSubmit()
        }
      })
      tabs.push(tab)
    }
    // In front of both, so that neither has an advantage.
    const starter = await browser().newTab(`${origin}/blank.html`)
    await starter.evaluate(() => {
      window.release = new BroadcastChannel('release')
    })

    const first = { one: 0, two: 0 }
    for (let run = 1; run <= runs; run++) {
      const operation = `both/${run}`
      for (const tab of tabs) {
        await tab.evaluate(operation => window.checkout.begin(operation), operation)
      }
      await starter.evaluate(() => window.release?.postMessage('now'))
      const told = await Promise.all(
        tabs.map(async tab => (await tab.evaluate(() => window.checkout.whenTold(1))).told),
      )
      const [order, ...others] = orders(operation)
      expect(others).toEqual([])
      const done = { state: 'succeeded', key: order?.key, data: { id: order?.id } }
      expect(told).toMatchObject([[done], [done]])
      const [request, ...repeats] = arrivals(operation)
      expect(repeats).toEqual([])
      const name = new URL(request?.headers.referer ?? '').searchParams.get('name')
      first[name as keyof typeof first] += 1
    }
    await Promise.all(tabs.map(tab => tab.evaluate(() => window.checkout.client.idle())))
    expect(shop().server.log()).toHaveLength(runs)
    console.log(`Two tabs, ${runs} times: the first sent ${first.one}, the second ${first.two}.`)
    expect(first.one).toBeGreaterThan(0)
    expect(first.two).toBeGreaterThan(0)
  })
}
