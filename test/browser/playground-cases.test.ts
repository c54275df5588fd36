import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'
import {
  behave,
  button,
  chooseAlways,
  openPage,
  ordered,
  servePlayground,
  shows,
  status,
} from './playground-page.ts'

const chromium = oneChromium()
const url = servePlayground()

const CASES = [
  'lost-reply',
  'lost-request',
  'reload',
  'two-tabs',
  'double-click',
  'hang',
  'offline',
  '503',
  '409',
] as const

/** The same lost reply, and a server that knows an order again by other means. */
const SERVERS = ['token', 'envelope', 'number', 'state', 'lock', 'request-id'] as const

/** Opens the link, as somebody who was sent it. */
async function openCase(name: string): Promise<ChromiumTab> {
  const tab = await openPage(chromium(), `${url()}#scenario=${name}`)
  await tab.waitFor(
    name => document.querySelector('[aria-current]')?.getAttribute('href') === `#scenario=${name}`,
    name,
  )
  return tab
}

/** On its way: on the wire, unless there is none. */
async function isUnderWay(tab: ChromiumTab, name: string): Promise<void> {
  await tab.waitFor(
    selector => document.querySelector(selector)?.ariaBusy === 'true',
    button('sendonce'),
  )
  if (name !== 'offline') await shows(tab, '.lane[data-shop=sendonce]', 'sendonce')
}

describe('a case of the playground', () => {
  it.each([...CASES, ...SERVERS])(
    'ends with one order when the page is reloaded in the middle: %s',
    async name => {
      const tab = await openCase(name)
      await tab.click(button('sendonce'))
      await isUnderWay(tab, name)
      await tab.reload()
      await shows(tab, button('plain'), 'Order, €')
      if (name === 'offline') await behave(tab)
      // The page before may be seen for a moment after it is gone; an order that made it in time needs nobody.
      const found = await tab.waitFor(() => {
        if (document.querySelector('.notice')) return 'unsettled'
        return document.querySelector('.ending[data-is=succeeded]') && 'settled'
      })
      if (found === 'unsettled') await tab.click('.notice .primary')
      await ordered(tab, 'sendonce', 1)
      await shows(tab, '.lane[data-shop=sendonce] .placed', '1 order')
      await tab.waitFor(() => document.querySelector('.ending[data-is=succeeded]') !== null)
      await tab.waitFor(() => document.querySelector('.keys tbody tr') !== null)
    },
  )

  it('says so where a server would do it again, and sends nothing', async () => {
    const tab = await openCase('window')
    await tab.click(button('sendonce'))
    await shows(tab, status('sendonce'), 'Sending it again might do it twice.')
    await shows(tab, button('sendonce'), 'Not safe to send')
    await tab.reload()
    await shows(tab, '.notice', 'We don’t know yet')
    await tab.click('.notice .primary')
    await tab.click(button('sendonce'))
    await shows(tab, button('sendonce'), 'Not safe to send')
    await ordered(tab, 'sendonce', 1)
  })

  it('asks the shop, where the shop can be asked, and sends nothing', async () => {
    const tab = await openCase('token')
    await chooseAlways(tab, 'hang')
    await tab.click(button('sendonce'))
    await ordered(tab, 'sendonce', 1)
    await tab.reload()
    await shows(tab, '.notice', 'We don’t know yet')
    await tab.click('.notice .secondary')
    await shows(tab, '.notice', 'went through, once')
    await shows(tab, '.notice', 'The shop was asked')
    await shows(tab, '.keys tbody', 'once')
    await ordered(tab, 'sendonce', 1)
  })

  it('keeps what was typed when it is refused, and takes the corrected order once', async () => {
    const tab = await openCase('refused')
    await tab.click(button('sendonce'))
    await shows(tab, status('sendonce'), 'The address is missing.')
    await tab.reload()
    await shows(tab, button('sendonce'), 'Order, € 42')
    expect(
      await tab.evaluate(() => document.querySelector<HTMLInputElement>('#sendonce-item')?.value),
    ).toBe('Blue teapot')
    await tab.type('#sendonce-address', '1 Main Street')
    await tab.press('Enter')
    await shows(tab, status('sendonce'), 'It is ordered, as order-1.')
    await ordered(tab, 'sendonce', 1)
  })

  it.each(['lost-reply', 'reload', '503', 'offline', 'refused'])(
    'is played to its end: %s',
    async name => {
      const tab = await openCase(name)
      await tab.click('.cases .play')
      await shows(tab, '.cases .play', 'Stop')
      await shows(tab, '.cases .play', 'Play it')
      await ordered(tab, 'sendonce', 1)
      await ordered(tab, 'plain', name === 'lost-reply' || name === 'reload' ? 2 : 1)
    },
  )

  it('opens the second tab by itself, and there too it is the same cart', async () => {
    const tab = await openCase('two-tabs')
    await tab.click('.cases .play')
    await ordered(tab, 'plain', 2)
    await shows(tab, status('sendonce'), 'It is ordered')
    await ordered(tab, 'sendonce', 1)
  })

  it('is left by whoever breaks something else, and begun again by its link', async () => {
    const tab = await openCase('503')
    await tab.click('.chip input[value=hang]')
    await shows(tab, '.cases .told', 'You are on your own')
    expect(await tab.evaluate(() => location.hash)).toBe('')
    await tab.click('a[href="#scenario=409"]')
    await shows(tab, '.faults .explained', 'busy with this very order')
    expect(await tab.evaluate(() => location.hash)).toBe('#scenario=409')
  })

  it('is played no further by whoever has gone to another one', async () => {
    const tab = await openCase('lost-reply')
    await tab.click('.cases .play')
    await shows(tab, '.cases .play', 'Stop')
    await tab.evaluate(() => {
      location.hash = '#scenario=409'
    })
    await shows(tab, '.cases .told', 'still working on this very order')
    await shows(tab, '.cases .play', 'Play it')
    await shows(tab, button('plain'), 'Order, €')
    expect(await tab.evaluate(() => sessionStorage['sendonce-playground:playing'])).toBe('null')
  })

  it('is found again by the back button, and an address of none shows none', async () => {
    // Begun by a page without a case in its address.
    const tab = await openPage(chromium(), url())
    await tab.click('a[href="#scenario=409"]')
    await shows(tab, '.cases .told', 'still working on this very order')
    await tab.evaluate(() => history.back())
    await shows(tab, '.cases .told', 'its reply gets lost')
    await tab.evaluate(() => {
      location.hash = '#scenario=nothing'
    })
    await shows(tab, '.cases .told', 'You are on your own')
    expect(await tab.evaluate(() => document.querySelector('[aria-current]'))).toBe(null)
  })

  it('is not begun anew by a reload in the middle of two hundred carts', async () => {
    const tab = await openCase('crowd')
    await tab.click('.cases .play')
    const count = '.total[data-shop=sendonce] .count'
    await tab.waitFor(count => Number(document.querySelector(count)?.textContent) > 0, count)
    await tab.reload()
    await shows(tab, '.notice', 'of your orders went through')
    await shows(tab, '.cases .play', 'Play it')
  })
})
