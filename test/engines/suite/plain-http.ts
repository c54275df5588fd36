import type { RetryPolicy } from 'sendonce'
import { describe, expect, it } from 'vitest'
import type { Browser, Tab } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'
import { ended } from '../../browser/lab.ts'

/** An origin without what needs a secure one. */
export function worksOnPlainHttp(lab: () => Lab<Browser>): void {
  /** A page on an origin without Web Locks and `crypto.subtle`, with a client. */
  async function plainTab(retry: Partial<RetryPolicy> = {}): Promise<Tab> {
    const tab = await lab().newTab('shop.test')
    await tab.evaluate(open, retry)
    return tab
  }

  /** Runs in the page. */
  function open(retry: Partial<RetryPolicy> = {}): void {
    window.lab.open({ retry })
  }

  /** Runs in the page. */
  function begin(): void {
    void window.lab.submit()
  }

  /** Runs in the page: by its clock so much time goes by. */
  function pass(ms: number): void {
    const now = Date.now
    Date.now = () => now() + ms
  }

  /** Longer than the lease of an attempt, which is its time (30 s) and a second. */
  const LEASE_MS = 32_000

  /** A page that was reloaded while its order was on the wire. */
  async function reloadedTab(): Promise<Tab> {
    // Firefox and WebKit tell a page that is being left that its request failed: it must not get to the next attempt.
    const tab = await plainTab({ baseDelayMs: 2_000 })
    lab().server.next('hang-after-effect')
    await tab.evaluate(() => {
      Math.random = () => 1
      void window.lab.submit()
    })
    await lab().arrived(1)
    await tab.reload()
    return tab
  }

  function expectOneOrder(key: string | undefined): void {
    expect(lab().keys()).toEqual([key])
    expect(lab().bodies()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  }

  describe('a plain http origin', () => {
    it('has none of what needs a secure one', async () => {
      const tab = await plainTab()
      expect(await tab.evaluate(() => ['locks' in navigator, 'subtle' in crypto])).toEqual([
        false,
        false,
      ])
    })

    it.each([
      'lose-request',
      'lose-reply',
      'cut-body',
      'hang',
      'hang-after-effect',
      { is: 'status', status: 503 },
      { is: 'status', status: 503, effect: true, stored: false },
    ] as const)('sends the same key and bytes again: %j', async fault => {
      const tab = await plainTab({ attemptTimeoutMs: 500 })
      lab().server.next(fault)
      const outcome = await tab.evaluate(() => window.lab.submit())
      expect(outcome).toMatchObject({ state: 'succeeded', durable: true })
      expect(outcome.data).toMatchObject({ item: 'book' })
      expectOneOrder(outcome.key)
    })

    it('gives two submits in one task one order and one outcome', async () => {
      const tab = await plainTab()
      const [first, second] = await tab.evaluate(() =>
        Promise.all([window.lab.submit(), window.lab.submit()]),
      )
      expect(first).toMatchObject({ state: 'succeeded' })
      expect(second).toEqual(first)
      expect(lab().arrivals()).toHaveLength(1)
      expectOneOrder(first.key)
    })

    it.each([
      ['resumed', () => window.lab.resume()],
      ['submitted again', () => window.lab.submit()],
    ] as const)('knows after a reload in mid-flight, and goes on when %s', async (_title, goOn) => {
      const tab = await reloadedTab()
      await tab.evaluate(pass, LEASE_MS)
      await tab.evaluate(open)
      await tab.waitFor(() => window.lab.snapshot().state === 'unknown')
      const found = await tab.evaluate(() => window.lab.snapshot())
      expect(found).toMatchObject({ reason: 'interrupted', resumable: true, attempts: 1 })
      const outcome = await tab.evaluate(goOn)
      expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay', attempts: 2 })
      expectOneOrder(outcome.key)
    })

    it('outwaits the lease of a page that is gone, and then sends the same key', async () => {
      const tab = await reloadedTab()
      await tab.evaluate(open)
      await tab.evaluate(begin)
      await tab.waitFor(() => window.lab.snapshot().state === 'waiting')
      expect(lab().arrivals()).toHaveLength(1)
      await tab.evaluate(pass, LEASE_MS)
      const outcome = await ended(tab)
      expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay', attempts: 2 })
      expectOneOrder(outcome.key)
    })

    it('gives two tabs one order and one result', async () => {
      const [one, other] = [await plainTab(), await plainTab()]
      lab().server.next({ is: 'slow-reply', ms: 300 })
      await one.evaluate(begin)
      await lab().arrived(1)
      const theirs = await other.evaluate(() => window.lab.submit())
      const ours = await ended(one)
      expect(ours).toMatchObject({ state: 'succeeded', from: 'reply' })
      expect(theirs).toMatchObject({ state: 'succeeded', from: 'store', data: ours.data })
      expect(lab().arrivals()).toHaveLength(1)
      expectOneOrder(ours.key)
    })

    it('gives two tabs that submit at once one order and one result', async () => {
      const [one, other] = [await plainTab(), await plainTab()]
      const [ours, theirs] = await Promise.all([
        one.evaluate(() => window.lab.submit()),
        other.evaluate(() => window.lab.submit()),
      ])
      expect(ours).toMatchObject({ state: 'succeeded', key: theirs.key, data: theirs.data })
      expect(lab().arrivals()).toHaveLength(1)
      expectOneOrder(ours.key)
    })

    it('sends no other body while it is unknown', async () => {
      const tab = await plainTab({ maxAttempts: 1 })
      lab().server.next({ is: 'status', status: 503, effect: true })
      const unknown = await tab.evaluate(() => window.lab.submit())
      expect(unknown).toMatchObject({ state: 'unknown', reason: 'attempts' })
      const before = await tab.evaluate(() => window.lab.stored())
      const changed = await tab.evaluate(() => window.lab.submit({ json: { item: 'two books' } }))
      expect(changed).toEqual({ state: 'rejected', code: 'payload-changed' })
      expect(await tab.evaluate(() => window.lab.stored())).toEqual(before)
      expect(lab().arrivals()).toHaveLength(1)
      const outcome = await tab.evaluate(() => window.lab.submit())
      expect(outcome).toMatchObject({ state: 'succeeded', key: unknown.key })
      expectOneOrder(unknown.key)
    })
  })
}
