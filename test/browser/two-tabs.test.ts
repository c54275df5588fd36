import { expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { oneShop } from './shop.ts'

const chromium = oneChromium()
const shop = oneShop()

const RUNS = 100

it('lets two tabs that submit at once place one order', async () => {
  const { checkout, arrivals, orders, origin } = shop()
  const tabs: ChromiumTab[] = []
  for (const name of ['one', 'two']) {
    const tab = await chromium().newTab(checkout({ name }))
    await tab.evaluate(() => {
      new BroadcastChannel('release').onmessage = () => {
        document.querySelector('form')?.requestSubmit()
      }
    })
    tabs.push(tab)
  }
  // In front of both, so that neither has an advantage.
  const starter = await chromium().newTab(`${origin}/blank.html`)
  await starter.evaluate(() => {
    window.release = new BroadcastChannel('release')
  })

  const first = { one: 0, two: 0 }
  for (let run = 1; run <= RUNS; run++) {
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
  expect(shop().server.log()).toHaveLength(RUNS)
  console.log(`Two tabs, ${RUNS} times: the first sent ${first.one}, the second ${first.two}.`)
  expect(first.one).toBeGreaterThan(0)
  expect(first.two).toBeGreaterThan(0)
})

declare global {
  interface Window {
    release?: BroadcastChannel
  }
}
