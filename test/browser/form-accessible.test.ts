import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { fill, oneFormLab, shows } from './form-lab.ts'

const { lab, openPage, openInterrupted, hold, answer } = oneFormLab()

/** What is used of axe-core in the page. */
interface Axe {
  run(): Promise<{ readonly violations: readonly { readonly id: string; readonly help: string }[] }>
}

let axe: string
beforeAll(async () => {
  axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
})

async function violations(tab: ChromiumTab): Promise<readonly unknown[]> {
  await tab.evaluate(axe => {
    const script = document.createElement('script')
    script.textContent = axe
    document.head.append(script)
  }, axe)
  return tab.evaluate(async () => {
    const axe: unknown = Reflect.get(window, 'axe')
    const { violations } = await (axe as Axe).run()
    return violations.map(({ id, help }) => `${id}: ${help}`)
  })
}

/** How a page comes into each state. */
const STATES: Readonly<Record<string, () => Promise<ChromiumTab>>> = {
  idle: () => openPage(),
  sending: async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    return tab
  },
  waiting: async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next({ is: 'status', status: 503, retryAfter: 20 })
    await tab.press('Enter')
    await shows(tab, 'waiting')
    return tab
  },
  paused: async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await shows(tab, 'paused')
    return tab
  },
  unknown: () => openInterrupted(),
  refused: async () => {
    const tab = await openPage()
    await tab.type('#first [name=item]', 'tea')
    await tab.press('Enter')
    await shows(tab, 'refused')
    return tab
  },
  succeeded: async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    return tab
  },
}

describe('axe', () => {
  it.each(Object.keys(STATES))('finds nothing in a form that is %s', async state => {
    const tab = await STATES[state]?.()
    if (!tab) throw new Error(`Nothing leads to ${state}.`)
    await shows(tab, state)
    expect(await violations(tab)).toEqual([])
    if (state === 'sending') await answer()
  })

  it('finds nothing where something else was submitted, nor when a button waits to be hidden', async () => {
    const tab = await openInterrupted()
    await tab.type('#first [name=item]', ' with milk')
    await tab.press('Enter')
    await tab.waitFor(() => window.page.told.length === 1)
    expect(await violations(tab)).toEqual([])
    await tab.click('[data-sendonce-resume]')
    await shows(tab, 'succeeded')
    expect(await violations(tab)).toEqual([])
  })

  it('would find a field without a label', async () => {
    const tab = await openPage()
    await tab.evaluate(() =>
      document.querySelector('form')?.append(document.createElement('input')),
    )
    expect(await violations(tab)).toEqual([expect.stringMatching(/^label: /)])
  })
})
