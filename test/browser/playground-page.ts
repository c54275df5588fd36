import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { afterAll, beforeEach, inject } from 'vitest'
import type { ChromiumBrowser, ChromiumTab } from './driver/chromium-only.ts'
import { onNewOrigin } from './driver/new-origin.ts'

export type ShopName = 'sendonce' | 'plain'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

export const button = (shop: ShopName) => `.shop[data-shop=${shop}] .primary`
export const status = (shop: ShopName) => `.shop[data-shop=${shop}] [role=status]`

/** The built playground, on an origin of its own for each test: empty storage, and no service worker yet. */
export function servePlayground(folder = () => inject('playground')): () => string {
  const all: { close(): void }[] = []
  let url: string
  const serve = async () => {
    const server = createServer((request, response) => {
      const path = request.url === '/' ? '/index.html' : (request.url ?? '')
      const file = join(folder(), path)
      if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end()
      response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'text/plain' })
      response.end(readFileSync(file))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
  }
  beforeEach(async () => {
    const listening = await onNewOrigin(serve)
    all.push(listening)
    url = `${listening.origin}/`
  })
  afterAll(() => {
    for (const each of all) each.close()
  })
  return () => url
}

/** A page that is there, and has told its server what is to go wrong. */
export async function openPage(browser: ChromiumBrowser, url: string): Promise<ChromiumTab> {
  const tab = await browser.newTab(url)
  await shows(tab, '.shop[data-shop=plain] .primary', 'Order, € 42')
  return tab
}

/** Waits until the first element of the selector holds the text. */
export function shows(tab: ChromiumTab, selector: string, text: string): Promise<unknown> {
  return tab.waitFor(
    (selector, text) => document.querySelector(selector)?.textContent?.includes(text),
    selector,
    text,
  )
}

/** For every request, so that nothing depends on how fast the test is. */
export async function chooseAlways(tab: ChromiumTab, fault: string): Promise<void> {
  await tab.click(`.chip input[value="${fault}"]`)
  const isChecked = () => document.querySelector('.check input:checked') !== null
  if (!(await tab.evaluate(isChecked))) await tab.click('.check input')
  await shows(tab, '.faults .explained', 'So it goes until you choose something else.')
}

export async function behave(tab: ChromiumTab): Promise<void> {
  await tab.click('.chip input[value="behave"]')
  await shows(tab, '.faults .explained', 'Every request arrives')
}

/** How many orders the page says that the server has. */
export function ordered(tab: ChromiumTab, shop: ShopName, count: number): Promise<unknown> {
  return tab.waitFor(
    (selector, count) => document.querySelector(selector)?.textContent === count,
    `.total[data-shop=${shop}] .count`,
    String(count),
  )
}

export async function resize(tab: ChromiumTab, width: number, height = 800): Promise<void> {
  const size = { width, height, deviceScaleFactor: 1, mobile: false }
  await tab.cdp.send('Emulation.setDeviceMetricsOverride', size)
  // Until it is painted: what moves by it has moved then.
  await tab.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
  await tab.waitFor(width => innerWidth === width, width)
}

export async function prefer(
  tab: ChromiumTab,
  features: Readonly<Record<string, string>>,
): Promise<void> {
  await tab.cdp.send('Emulation.setEmulatedMedia', {
    features: Object.entries(features).map(([name, value]) => ({ name, value })),
  })
}
