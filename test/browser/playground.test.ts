import { readFileSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'

declare global {
  interface Window {
    submits: number
  }
}

const chromium = oneChromium()

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

const servers: Server[] = []
let url: string
// Another port is another origin: each test begins with empty storage, and without a service worker.
beforeEach(async () => {
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '')
    const file = join(inject('playground'), path)
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end()
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'text/plain' })
    response.end(readFileSync(file))
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

type ShopName = 'sendonce' | 'plain'

const button = (shop: ShopName) => `.shop[data-shop=${shop}] .primary`
const status = (shop: ShopName) => `.shop[data-shop=${shop}] [role=status]`

async function openPlayground(): Promise<ChromiumTab> {
  const tab = await chromium().newTab(url)
  await shows(tab, button('sendonce'), 'Order, € 42')
  return tab
}

function shows(tab: ChromiumTab, selector: string, text: string): Promise<unknown> {
  return tab.waitFor(
    (selector, text) => document.querySelector(selector)?.textContent?.includes(text),
    selector,
    text,
  )
}

/** For every request, so that nothing depends on how fast the test is. */
async function chooseAlways(tab: ChromiumTab, fault: string): Promise<void> {
  await tab.click(`.chip input[value="${fault}"]`)
  await tab.click('.check input')
  await shows(tab, '.faults .explained', 'So it goes until you choose something else.')
}

async function behave(tab: ChromiumTab): Promise<void> {
  await tab.click('.chip input[value="behave"]')
  await shows(tab, '.faults .explained', 'Every request arrives')
}

/** How many orders the page says that the server has. */
function ordered(tab: ChromiumTab, shop: ShopName, count: number): Promise<unknown> {
  return shows(tab, `.total[data-shop=${shop}] .count`, String(count))
}

describe('the playground', () => {
  it('makes one order of a lost reply, a reload and another press; plain fetch makes two', async () => {
    const tab = await openPlayground()
    await chooseAlways(tab, 'lose-reply')
    await tab.click(button('sendonce'))
    await tab.click(button('plain'))
    await shows(tab, button('sendonce'), 'Sending again in')
    await shows(tab, status('plain'), 'Something went wrong')

    await tab.reload()
    await shows(tab, button('sendonce'), 'Send it again')
    await behave(tab)
    await tab.click(button('sendonce'))
    await tab.click(button('plain'))
    await shows(tab, status('sendonce'), 'It is ordered')
    await shows(tab, status('plain'), 'It is ordered')

    await ordered(tab, 'sendonce', 1)
    await ordered(tab, 'plain', 2)
    await shows(tab, '.total[data-shop=plain]', '€ 84 charged1 too many')
    await shows(tab, '.lane[data-shop=sendonce]', 'the same reply again')
  })

  it('asks first about an order that was on its way, and sending it again makes one order', async () => {
    const tab = await openPlayground()
    await chooseAlways(tab, 'hang')
    await tab.click(button('sendonce'))
    await ordered(tab, 'sendonce', 1)

    await tab.reload()
    await shows(tab, 'main > :first-child', 'We don’t know yet whether your order went through.')
    await behave(tab)
    await tab.click('.notice .primary')
    await shows(tab, '.notice', 'Your order went through, once.')
    await shows(tab, status('sendonce'), 'It is ordered, as order-1.')
    await ordered(tab, 'sendonce', 1)

    // The button has become another one under the finger, and kept the focus.
    await tab.press('Enter')
    await tab.waitFor(() => document.querySelector('.notice') === null)
    await tab.reload()
    await shows(tab, button('sendonce'), 'Order, € 42')
    expect(await tab.evaluate(() => document.querySelector('.notice'))).toBeNull()
  })

  it('gives an order that is forgotten and made anew another key', async () => {
    const tab = await openPlayground()
    await chooseAlways(tab, 'lose-reply')
    await tab.click(button('sendonce'))
    await shows(tab, button('sendonce'), 'Sending again in')
    await tab.reload()
    await shows(tab, '.notice', 'We don’t know yet')
    await tab.click('.notice .secondary')
    await shows(tab, '.notice', 'Forgotten.')
    await behave(tab)
    await tab.click(button('sendonce'))
    await shows(tab, status('sendonce'), 'It is ordered, as order-2.')
    await tab.waitFor(() => document.querySelectorAll('.keys .key-tag').length === 2)
  })

  it('makes one order of a double click', async () => {
    const tab = await openPlayground()
    await behave(tab)
    await tab.evaluate(() => {
      window.submits = 0
      window.addEventListener('submit', () => window.submits++, { capture: true })
    })
    await tab.click(button('sendonce'), { times: 2 })
    await shows(tab, status('sendonce'), 'It is ordered, as order-1.')
    expect(await tab.evaluate(() => window.submits)).toBe(2)
    await ordered(tab, 'sendonce', 1)
    await shows(tab, '.keys tbody', 'once')
  })

  it('shows a second tab what the first has ordered, and offers both the next cart', async () => {
    const tab = await openPlayground()
    await behave(tab)
    const second = await openPlayground()
    await tab.show()
    await tab.click(button('sendonce'))
    await shows(tab, status('sendonce'), 'It is ordered, as order-1.')
    await shows(second, status('sendonce'), 'It is ordered, as order-1.')
    await second.show()
    await second.click('.shop[data-shop=sendonce] .link')
    await shows(second, '.shop[data-shop=sendonce] output', '43')
    await second.click(button('sendonce'))
    await shows(second, status('sendonce'), 'It is ordered, as order-2.')
    await ordered(tab, 'sendonce', 2)
  })

  it('fits a window of 320 px', async () => {
    const tab = await openPlayground()
    const size = { width: 320, height: 640, deviceScaleFactor: 1, mobile: false }
    await tab.cdp.send('Emulation.setDeviceMetricsOverride', size)
    await tab.waitFor(() => innerWidth === 320)
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })
})
