import { describe, expect, it } from 'vitest'
import type { Browser } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'
import { ended } from '../../browser/lab.ts'

export function keepsPeopleApart(lab: () => Lab<Browser>): void {
  /** Runs in the page: signs in; the server goes by the same cookie. */
  function signIn(person: string): void {
    // biome-ignore lint/suspicious/noDocumentCookie: cookieStore makes them Secure, and WebKit has none of these on http.
    document.cookie = `session=${person}`
  }

  /** Runs in the page: a client of whoever is signed in, in a backoff that nobody lives to see end. */
  function open(): void {
    const scope = () => {
      const person = /(?:^|; *)session=([^;]+)/.exec(document.cookie)?.[1]
      return person === undefined || person === 'signed-out' ? null : person
    }
    window.lab.open({ scope, retry: { baseDelayMs: 1e9, maxDelayMs: 1e9, deadlineMs: 2e9 } })
  }

  /** Two tabs of Ada's: the first waits for its second attempt, the second is in front. */
  async function oneWaitsBehindAnother() {
    const waiting = await lab().newTab()
    await waiting.evaluate(signIn, 'ada')
    await waiting.evaluate(open)
    lab().server.next(503)
    await waiting.evaluate(() => {
      void window.lab.submit()
    })
    await waiting.waitFor(() => window.lab.snapshot().state === 'waiting')
    const other = await lab().newTab()
    await other.evaluate(open)
    return { waiting, other }
  }

  const principals = () =>
    lab()
      .arrivals()
      .map(({ principal }) => principal)

  describe('signing out in one tab while another waits', () => {
    it('sends nothing with the cookies of whoever signs in next, and the same key for the first', async () => {
      const { waiting, other } = await oneWaitsBehindAnother()
      await other.evaluate(signIn, 'bob')
      // Coming on screen ends the wait.
      await waiting.show()
      const interrupted = await ended(waiting)
      expect(interrupted).toMatchObject({ state: 'unknown', reason: 'interrupted', attempts: 1 })
      expect(principals()).toEqual(['ada'])
      expect(await waiting.evaluate(() => window.lab.snapshot())).toMatchObject({ state: 'idle' })

      await waiting.evaluate(signIn, 'ada')
      const outcome = await waiting.evaluate(() => window.lab.submit())
      expect(outcome).toMatchObject({ state: 'succeeded', key: interrupted.key })
      expect(principals()).toEqual(['ada', 'ada'])
      expect(lab().keys()).toEqual([interrupted.key])
      expect(lab().orders()).toHaveLength(1)
    })

    it('is known to the hook that looks last: a session that changes on the way sends nothing', async () => {
      const tab = await lab().newTab()
      await tab.evaluate(signIn, 'ada')
      const outcome = await tab.evaluate(() => {
        const scope = () => /(?:^|; *)session=([^;]+)/.exec(document.cookie)?.[1] ?? null
        const signBobIn = () => {
          // biome-ignore lint/suspicious/noDocumentCookie: as above
          document.cookie = 'session=bob'
        }
        window.lab.open({ scope, ky: window.ky.extend({ hooks: { beforeRequest: [signBobIn] } }) })
        return window.lab.submit()
      })
      expect(outcome).toMatchObject({ state: 'paused', reason: 'scope' })
      expect(lab().arrivals()).toEqual([])
      expect(await tab.evaluate(() => window.lab.stored())).toEqual([])
    })

    it('submits nothing for nobody', async () => {
      const tab = await lab().newTab()
      await tab.evaluate(signIn, 'signed-out')
      await tab.evaluate(open)
      const outcome = await tab.evaluate(() => window.lab.submit())
      expect(outcome).toMatchObject({ state: 'paused', reason: 'scope' })
      expect(lab().arrivals()).toEqual([])
    })
  })

  describe('forget()', () => {
    it('stops every tab at once, and says how many nobody will know about', async () => {
      const { waiting, other } = await oneWaitsBehindAnother()
      const forgotten = await other.evaluate(() => window.lab.client.forget())
      expect(forgotten).toEqual({ unknown: 1 })
      const interrupted = await ended(waiting)
      expect(interrupted).toMatchObject({ state: 'unknown', reason: 'interrupted', attempts: 1 })

      await other.evaluate(signIn, 'bob')
      await waiting.show()
      await waiting.evaluate(() => window.lab.client.idle())
      expect(await waiting.evaluate(() => window.lab.snapshot())).toMatchObject({ state: 'idle' })
      expect(principals()).toEqual(['ada'])
      expect(lab().orders()).toHaveLength(0)
    })

    it('stops an attempt on the wire', async () => {
      const tab = await lab().newTab()
      await tab.evaluate(signIn, 'ada')
      await tab.evaluate(open)
      lab().server.next('hang-after-effect')
      await tab.evaluate(() => {
        void window.lab.submit()
      })
      await lab().arrived(1)
      const other = await lab().newTab()
      await other.evaluate(open)
      await other.evaluate(() => window.lab.client.forget())
      const interrupted = await ended(tab)
      expect(interrupted).toMatchObject({ state: 'unknown', attempts: 1 })
      await tab.evaluate(() => window.lab.client.idle())
      expect(principals()).toEqual(['ada'])
    })

    it('leaves neither bodies nor answers, and the same submit meets the same key', async () => {
      const { waiting, other } = await oneWaitsBehindAnother()
      await other.evaluate(() => window.lab.client.forget())
      const interrupted = await ended(waiting)
      await waiting.evaluate(() => window.lab.client.idle())
      const stored = await other.evaluate(() => window.lab.stored())
      expect(stored).toMatchObject([{ stub: 'forgotten', key: interrupted.key }])
      expect(Object.keys(Object(stored[0]))).not.toContain('request')

      await other.evaluate(signIn, 'bob')
      const ofBob = await other.evaluate(() => window.lab.submit())
      expect(ofBob).toMatchObject({ state: 'succeeded' })
      expect(ofBob.key).not.toBe(interrupted.key)

      await other.evaluate(signIn, 'ada')
      const outcome = await other.evaluate(() => window.lab.submit())
      expect(outcome).toMatchObject({ state: 'succeeded', key: interrupted.key, attempts: 2 })
      expect(principals()).toEqual(['ada', 'bob', 'ada'])
      expect(
        lab()
          .orders()
          .map(({ principal }) => principal),
      ).toEqual(['bob', 'ada'])
    })

    it('forgets what has settled too: an order on purpose has a new key', async () => {
      const tab = await lab().newTab()
      await tab.evaluate(signIn, 'ada')
      await tab.evaluate(open)
      const first = await tab.evaluate(() => window.lab.submit())
      expect(await tab.evaluate(() => window.lab.client.forget())).toEqual({ unknown: 0 })
      const second = await tab.evaluate(() => window.lab.submit())
      expect(second).toMatchObject({ state: 'succeeded' })
      expect(second.key).not.toBe(first.key)
      expect(lab().orders()).toHaveLength(2)
    })
  })
}
