import { describe, expect, it } from 'vitest'
import type { Browser, Tab } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'
import type { Told } from '../../browser/pages/lab.ts'

/** Which pages this engine keeps alive, in its back-forward cache, when another is opened in their place. */
export interface Kept {
  /** Nothing is under way. */
  readonly atRest: boolean
  /** An attempt waits for its answer. */
  readonly inMidFlight: boolean
  /** The next attempt waits for its time. */
  readonly waiting: boolean
}

export function comesBack(lab: () => Lab<Browser>, kept: Kept): void {
  /** Another tab submits the same, and is told that it happened. */
  async function settleElsewhere(): Promise<Told> {
    const other = await lab().newTab()
    const settled = await other.evaluate(() => {
      // Later than any lease.
      const now = Date.now
      Date.now = () => now() + 60_000
      window.lab.open()
      return window.lab.submit()
    })
    expect(settled).toMatchObject({ state: 'succeeded', from: 'replay' })
    await other.evaluate(() => window.lab.client.idle())
    await other.close()
    return settled
  }

  /** Back to the page that was left, which must be there in the way that the table says. */
  async function back(tab: Tab, fromCache: boolean): Promise<void> {
    await tab.show()
    expect(await tab.back()).toMatchObject({ fromCache })
    // A page that was loaded anew has no client yet.
    if (!fromCache) await tab.evaluate(() => window.lab.open())
  }

  async function showsTheOutcome(tab: Tab, { key, data }: Told): Promise<void> {
    await tab.waitFor(() => window.lab.snapshot().state === 'succeeded')
    expect(await tab.evaluate(() => window.lab.snapshot())).toMatchObject({ key, data })
    await tab.evaluate(() => window.lab.client.idle())
    expect(lab().arrivals()).toHaveLength(2)
    expect(lab().keys()).toEqual([key])
    expect(lab().orders()).toHaveLength(1)
  }

  const how = (fromCache: boolean) => (fromCache ? 'alive' : 'loaded anew')

  describe('a page that was left and is gone back to', () => {
    it(`comes ${how(kept.atRest)}, and shows what another tab has settled in the meantime`, async () => {
      const tab = await lab().newTab()
      lab().server.next({ is: 'status', status: 503, effect: true })
      const unknown = await tab.evaluate(() => {
        window.lab.open({ retry: { maxAttempts: 1 } })
        return window.lab.submit()
      })
      expect(unknown).toMatchObject({ state: 'unknown', reason: 'attempts' })
      await tab.open(lab().url('other.test'))
      const settled = await settleElsewhere()
      await back(tab, kept.atRest)
      await showsTheOutcome(tab, settled)
    })

    it(`comes ${how(kept.inMidFlight)} from mid-flight, and sends nothing more`, async () => {
      const tab = await lab().newTab()
      lab().server.next({ is: 'slow-reply', ms: 3_000 })
      await tab.evaluate(() => {
        // Firefox and WebKit tell a page that is being left that its request failed: not so soon to the next attempt.
        Math.random = () => 1
        window.lab.open({ retry: { baseDelayMs: 2_000 } })
        void window.lab.submit()
      })
      await lab().arrived(1)
      await tab.open(lab().url('other.test'))
      const settled = await settleElsewhere()
      await back(tab, kept.inMidFlight)
      await showsTheOutcome(tab, settled)
    })

    it(`comes ${how(kept.waiting)} from a backoff, and sends nothing twice`, async () => {
      const tab = await lab().newTab()
      lab().server.next(503)
      await tab.evaluate(() => {
        window.lab.open({ retry: { baseDelayMs: 1e9, maxDelayMs: 1e9, deadlineMs: 2e9 } })
        void window.lab.submit()
      })
      await tab.waitFor(() => window.lab.snapshot().state === 'waiting')
      await tab.open(lab().url('other.test'))
      await back(tab, kept.waiting)
      // One that is alive goes on by itself; in one that is not a person has to say so.
      if (!kept.waiting) {
        await tab.waitFor(() => window.lab.snapshot().state === 'unknown')
        expect(await tab.evaluate(() => window.lab.snapshot())).toMatchObject({ resumable: true })
        expect(lab().arrivals()).toHaveLength(1)
        return
      }
      await tab.waitFor(() => window.lab.snapshot().state === 'succeeded')
      const { key, attempts } = await tab.evaluate(() => window.lab.snapshot())
      expect(attempts).toBe(2)
      expect(lab().keys()).toEqual([key])
      expect(lab().orders()).toHaveLength(1)
    })

    it('keeps no other tab from writing when it has left in the middle of a transaction', async () => {
      const tab = await lab().newTab()
      await tab.evaluate(() => {
        // Before the client hears of it.
        window.addEventListener('pagehide', () => void window.lab.order.discard().catch(() => {}))
        window.lab.open()
        return window.lab.client.unsettled()
      })
      await tab.open(lab().url('other.test'))
      const other = await lab().newTab()
      const outcome = await other.evaluate(() => {
        window.lab.open()
        return window.lab.submit()
      })
      expect(outcome).toMatchObject({ state: 'succeeded', durable: true })
      await other.close()
      await tab.show()
      await tab.back()
    })
  })
}
