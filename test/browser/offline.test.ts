import type { RetryPolicy } from 'sendonce'
import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { ended, oneLab } from './lab.ts'

declare global {
  interface Window {
    /** What happened, in order. */
    course: string[]
  }
}

const lab = oneLab()

/** A tab without a network that has tried to order. */
async function tabThatWaits(retry: Partial<RetryPolicy> = {}): Promise<ChromiumTab> {
  const tab = await lab().newTab()
  await tab.goOffline()
  await tab.waitFor(() => !navigator.onLine)
  await tab.evaluate(writeCourse)
  await tab.evaluate(retry => {
    window.lab.open({ retry })
    void window.lab.submit()
  }, retry)
  await waitsAfter(tab, 1)
  return tab
}

/** Runs in the page, before its client hears anything. */
function writeCourse(): void {
  window.course = []
  // The first transaction after the event is the claim of the next attempt.
  const { transaction } = IDBDatabase.prototype
  IDBDatabase.prototype.transaction = function (...given: Parameters<typeof transaction>) {
    if (window.course.at(-1) === 'online') window.course.push('attempt')
    return Reflect.apply(transaction, this, given)
  }
  window.addEventListener('online', () => {
    window.course.push('online')
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => window.course.push('next task')
    port2.postMessage('')
  })
}

function waitsAfter(tab: ChromiumTab, count: number): Promise<unknown> {
  return tab.waitFor(count => {
    const { state, reason, attempts } = window.lab.snapshot()
    return state === 'waiting' && reason === 'offline' && attempts === count
  }, count)
}

/** Something else comes to the front and goes: a person who looks again makes the page try again. */
async function lookAwayAndBack(tab: ChromiumTab): Promise<void> {
  const other = await lab().browser.newTab()
  await tab.show()
  await other.close()
}

describe('offline', () => {
  it('uses up no attempts: as many as ever are left when it is over', async () => {
    const tab = await tabThatWaits({ maxAttempts: 2 })
    for (const attempts of [2, 3, 4]) {
      await lookAwayAndBack(tab)
      await waitsAfter(tab, attempts)
    }
    expect(lab().arrivals()).toEqual([])
    lab().server.next(503)
    await tab.goOnline()
    const outcome = await ended(tab)
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 6 })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().orders()).toHaveLength(1)
  })

  it('uses up no time', async () => {
    const tab = await tabThatWaits({ deadlineMs: 60_000 })
    await tab.evaluate(() => {
      const now = performance.now.bind(performance)
      // An hour goes by.
      performance.now = () => now() + 3_600_000
    })
    lab().server.next(503)
    await tab.goOnline()
    const outcome = await ended(tab)
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 3 })
    expect(lab().orders()).toHaveLength(1)
  })

  it('does not make the waits afterwards any longer', async () => {
    const policy = { baseDelayMs: 1_000_000, maxDelayMs: 2e9, deadlineMs: 2e9 }
    const tab = await tabThatWaits(policy)
    for (const attempts of [2, 3]) {
      await lookAwayAndBack(tab)
      await waitsAfter(tab, attempts)
    }
    await tab.evaluate(() => {
      Math.random = () => 1
    })
    lab().server.next(503)
    await tab.goOnline()
    await tab.waitFor(() => window.lab.snapshot().reason === 'backoff')
    const stored = await tab.evaluate(() => window.lab.stored())
    // As long as after a first failure, which this is.
    expect(stored).toMatchObject([{ phase: { reason: 'backoff', waitMs: 1_000_000 } }])
  })

  it('begins the next attempt in the task of the event', async () => {
    const tab = await tabThatWaits()
    await tab.goOnline()
    await ended(tab)
    const course = await tab.waitFor(() => window.course.includes('next task') && window.course)
    expect(course).toEqual(['online', 'attempt', 'next task'])
    expect(lab().orders()).toHaveLength(1)
  })

  it('is a hint only: the first attempt is made all the same', async () => {
    const tab = await lab().newTab()
    const outcome = await tab.evaluate(() => {
      Object.defineProperty(navigator, 'onLine', { value: false })
      window.lab.open()
      return window.lab.submit()
    })
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  it('holds up no page that is online: it sends at once, and both get its result', async () => {
    const tab = await tabThatWaits()
    const other = await lab().newTab()
    const theirs = await other.evaluate(async () => {
      window.lab.open()
      const told = await window.lab.submit()
      return { told, states: window.lab.shown.map(({ state }) => state) }
    })
    expect(theirs.told).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(theirs.states).not.toContain('waiting')
    const ours = await ended(tab)
    const { key, data } = theirs.told
    expect(ours).toMatchObject({ state: 'succeeded', key, data })
    expect(lab().arrivals()).toHaveLength(1)
  })
})
