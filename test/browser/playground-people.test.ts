import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'
import {
  behave,
  button,
  chooseAlways,
  openPage,
  prefer,
  resize,
  servePlayground,
  shows,
  status,
} from './playground-page.ts'

declare global {
  interface Window {
    shifts: string[]
    axe: {
      run(): Promise<{ violations: { id: string; nodes: { target: unknown; html: string }[] }[] }>
    }
  }
}

const chromium = oneChromium()
const url = servePlayground()
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const SCHEMES = ['light', 'dark'] as const

/** What the page looks like in each state of an order. All end with nothing moving any more. */
const STATES: Readonly<Record<string, (tab: ChromiumTab) => Promise<unknown>>> = {
  idle: tab => shows(tab, button('sendonce'), 'Order, €'),
  waiting: async tab => {
    await chooseAlways(tab, 'lose-reply')
    await tab.click(button('sendonce'))
    await tab.click(button('plain'))
    await shows(tab, button('sendonce'), 'Sending again in')
    await shows(tab, status('plain'), 'Something went wrong')
  },
  unknown: async tab => {
    await chooseAlways(tab, 'hang')
    await tab.click(button('sendonce'))
    await shows(tab, '.lane', 'on its way')
    await tab.reload()
    await shows(tab, '.notice', 'We don’t know yet')
  },
  'sent again': async tab => {
    await STATES.unknown?.(tab)
    await behave(tab)
    await tab.click('.notice .primary')
    await shows(tab, '.notice', 'went through, once')
    await shows(tab, status('sendonce'), 'It is ordered')
  },
  succeeded: async tab => {
    await behave(tab)
    await tab.click(button('sendonce'))
    await tab.click(button('plain'))
    await shows(tab, status('sendonce'), 'It is ordered')
    await shows(tab, status('plain'), 'It is ordered')
  },
  refused: async tab => {
    await tab.click('a[href="#scenario=refused"]')
    await shows(tab, '.cases .told', 'The address is missing')
    await tab.click(button('sendonce'))
    await shows(tab, status('sendonce'), 'The address is missing.')
  },
  offline: async tab => {
    await tab.click('.chip input[value=offline]')
    await shows(tab, '.faults .explained', 'Nothing gets through')
    await tab.click(button('sendonce'))
    await shows(tab, button('sendonce'), 'Offline, waiting')
  },
}

/** Rules broken, and where. */
async function violations(tab: ChromiumTab): Promise<readonly string[]> {
  await tab.evaluate(source => {
    if (!('axe' in window)) new Function(source)()
  }, AXE)
  return tab.evaluate(async () => {
    const { violations } = await window.axe.run()
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${id}: ${target} ${html.slice(0, 120)}`),
    )
  })
}

/** What a screen reader calls a button that is named by its content. */
const nameOf = (selector: string): string => {
  const copy = document.querySelector(selector)?.cloneNode(true) as Element
  for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove()
  return copy.textContent?.trim() ?? ''
}

describe('the playground', () => {
  it.each(Object.keys(STATES))('breaks no rule of axe, light or dark: %s', async name => {
    const tab = await openPage(chromium(), url())
    await prefer(tab, { 'prefers-reduced-motion': 'reduce' })
    await STATES[name]?.(tab)
    for (const scheme of SCHEMES) {
      await prefer(tab, { 'prefers-color-scheme': scheme, 'prefers-reduced-motion': 'reduce' })
      expect(await violations(tab), scheme).toEqual([])
    }
    await resize(tab, 320)
    expect(await violations(tab), 'narrow').toEqual([])
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })

  it.each([1440, 1280, 768, 320])('moves nothing when a state changes, %i px wide', async width => {
    const tab = await openPage(chromium(), url())
    await resize(tab, width)
    // From here on, those just after a click as well.
    const watch = () => {
      window.shifts = []
      const observer = new PerformanceObserver(list => {
        for (const entry of list.getEntries()) {
          const { hadRecentInput, sources } = entry as unknown as {
            readonly hadRecentInput: boolean
            readonly sources: readonly {
              readonly node: Node | null
              readonly previousRect: DOMRect
              readonly currentRect: DOMRect
            }[]
          }
          for (const { node, previousRect, currentRect } of sources) {
            const element = node instanceof Element ? node : node?.parentElement
            // A new order is at the top of the wire, as soon as its button is pressed.
            if (hadRecentInput && element?.closest('.wire')) continue
            const [before, after] = [previousRect, currentRect].map(rect => JSON.stringify(rect))
            // Chromium also names what has become wider and stands where it stood (measured).
            if (before === after) continue
            const from = `${before} ${after}`
            window.shifts.push(`${element?.outerHTML.slice(0, 200)} ${from}`)
          }
        }
      })
      observer.observe({ type: 'layout-shift' })
    }
    await tab.evaluate(watch)
    await STATES.refused?.(tab)
    await tab.type('#sendonce-address', '1 Main Street')
    await tab.type('#plain-address', '1 Main Street')
    await STATES.waiting?.(tab)
    await behave(tab)
    await shows(tab, status('sendonce'), 'It is ordered')
    await tab.click('.shop[data-shop=sendonce] .link')
    await STATES.offline?.(tab)
    await STATES.succeeded?.(tab)
    expect(await tab.evaluate(() => window.shifts)).toEqual([])

    await tab.click('.shop[data-shop=sendonce] .link')
    await tab.click('.shop[data-shop=plain] .link')
    await STATES.unknown?.(tab)
    await tab.evaluate(watch)
    await behave(tab)
    await tab.click('.notice .primary')
    await shows(tab, '.notice', 'went through, once')
    await shows(tab, status('sendonce'), 'It is ordered')
    expect(await tab.evaluate(() => window.shifts)).toEqual([])
  })

  it('has room for its titles and what it orders in a window of any width', async () => {
    const tab = await openPage(chromium(), url())
    const cut: string[] = []
    for (let width = 320; width <= 1600; width += 20) {
      await resize(tab, width)
      const found = await tab.evaluate(() => {
        const titles = [...document.querySelectorAll<HTMLElement>('.shop h2')]
        const lines = titles.map(
          title => title.offsetHeight / parseFloat(getComputedStyle(title).lineHeight),
        )
        const fields = [...document.querySelectorAll('.shop input')]
        return [
          ...titles.filter((_, index) => lines[index] !== 1),
          ...fields.filter(field => field.scrollWidth > field.clientWidth),
        ].map(({ id, textContent }) => id || textContent)
      })
      cut.push(...found.map(what => `${width} px: ${what}`))
    }
    expect(cut).toEqual([])
  })

  it('keeps the height of a notice that was found in a wider window', async () => {
    const tab = await openPage(chromium(), url())
    await STATES.unknown?.(tab)
    await resize(tab, 320)
    const height = () => tab.evaluate(() => document.querySelector('.notice')?.clientHeight)
    const longest = await height()
    await behave(tab)
    await tab.click('.notice .primary')
    await shows(tab, '.notice', 'went through, once')
    expect(await height()).toBe(longest)
    await resize(tab, 1280)
    expect(await height()).toBeLessThan(Number(longest))
  })

  it('is walked through and played with by the keyboard alone', async () => {
    const tab = await openPage(chromium(), url())
    const stops: string[] = []
    for (;;) {
      await tab.press('Tab')
      const stop = await tab.evaluate(() => {
        const { activeElement: element } = document
        if (!(element instanceof HTMLElement) || element === document.body) return undefined
        if (element.dataset.met) return undefined
        element.dataset.met = 'true'
        const box = element.getBoundingClientRect()
        const ring = element.matches('.chip input') ? element.nextElementSibling : element
        const { outlineStyle } = getComputedStyle(ring ?? element)
        const seen = box.width > 0 && box.bottom > 0 && box.top < innerHeight
        return `${element.id || element.textContent || element.className}: ${seen && outlineStyle === 'solid' ? 'seen' : 'not seen'}`
      })
      if (stop === undefined) break
      stops.push(stop)
    }
    expect(stops.filter(stop => stop.endsWith('not seen'))).toEqual([])
    expect(stops.length).toBeGreaterThan(20)

    await tab.evaluate(() => document.querySelector<HTMLElement>('#sendonce-address')?.focus())
    await tab.press('Enter')
    await shows(tab, status('plain'), 'Nothing sent yet.')
    await shows(tab, button('sendonce'), 'Sending again in')
    await shows(tab, status('sendonce'), 'It is ordered, as order-1.')
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe('sendonce-address')
  })

  it('has a countdown on its button that nobody hears every second', async () => {
    const tab = await openPage(chromium(), url())
    await chooseAlways(tab, '503')
    await tab.click(button('sendonce'))
    const [first, last] = ['Sending again in 5 s', 'Sending again in 3 s']
    const heard = () => tab.evaluate(nameOf, button('sendonce'))
    await shows(tab, button('sendonce'), first)
    const before = await heard()
    await shows(tab, button('sendonce'), last)
    expect([before, await heard()]).toEqual(['Sending again', 'Sending again'])
  })

  it('has an ending heard once while a notice speaks of it', async () => {
    const tab = await openPage(chromium(), url())
    await STATES.unknown?.(tab)
    await behave(tab)
    await tab.click('.notice .primary')
    await shows(tab, '.notice', 'went through, once')
    await shows(tab, status('sendonce'), 'It is ordered')
    const heard = await tab.evaluate(() =>
      [...document.querySelectorAll('[role=status]')]
        .filter(({ ariaLive }) => ariaLive !== 'off')
        .map(({ textContent }) => textContent)
        .filter(text => /ordered|went through/.test(text ?? '')),
    )
    expect(heard).toHaveLength(1)
  })

  it('keeps the focus when another tab makes the button go that has it', async () => {
    const tab = await openPage(chromium(), url())
    await tab.click('a[href="#scenario=window"]')
    await shows(tab, '.cases .told', 'refuses a repeat')
    await tab.click(button('sendonce'))
    await shows(tab, button('sendonce'), 'Not safe to send')
    await tab.evaluate(() =>
      document.querySelector<HTMLElement>('.shop[data-shop=sendonce] .link')?.focus(),
    )
    const other = await openPage(chromium(), url())
    await other.evaluate(() => document.querySelector<HTMLElement>('.notice .secondary')?.focus())
    const third = await openPage(chromium(), url())
    await third.click('.notice .secondary')
    await shows(tab, status('sendonce'), 'Nothing sent yet.')
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe('sendonce-address')
    await shows(other, '.notice', 'Forgotten.')
    expect(await other.evaluate(() => document.activeElement?.textContent)).toBe('Close')
  })

  it('says with the colours of a person what is chosen, and what was sent', async () => {
    const tab = await openPage(chromium(), url())
    await prefer(tab, { 'forced-colors': 'active' })
    await tab.click(button('sendonce'))
    await shows(tab, status('sendonce'), 'It is ordered')
    const colours = await tab.evaluate(() =>
      [
        '.chip input:checked + span',
        '.chip input:not(:checked) + span',
        '.lane .mark',
        '.card',
      ].map(
        selector => getComputedStyle(document.querySelector(selector) as Element).backgroundColor,
      ),
    )
    const [chosen, other, mark, card] = colours
    expect(chosen).not.toBe(other)
    expect(mark).not.toBe(card)
  })

  it('moves nothing by itself for whoever wants less motion', async () => {
    const tab = await openPage(chromium(), url())
    await prefer(tab, { 'prefers-reduced-motion': 'reduce' })
    await tab.click('.cases .play')
    await shows(tab, '.lane', 'on its way')
    expect(await tab.evaluate(() => document.getAnimations().length)).toBe(0)
    await shows(tab, '.cases .play', 'Play it')
    expect(await tab.evaluate(() => document.getAnimations().length)).toBe(0)
  })
})
