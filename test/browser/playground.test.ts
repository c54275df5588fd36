import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'
import {
  behave,
  button,
  chooseAlways,
  openPage,
  ordered,
  resize,
  servePlayground,
  shows,
  status,
} from './playground-page.ts'

declare global {
  interface Window {
    submits: number
  }
}

const chromium = oneChromium()

const url = servePlayground()

const openPlayground = (): Promise<ChromiumTab> => openPage(chromium(), url())

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
    await resize(tab, 320)
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })
})
