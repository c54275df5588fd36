import { describe, expect, it } from 'vitest'
import type { Browser } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'
import type { Storage } from '../launch.ts'

/** Browsers whose people want nothing to be stored, or nothing to be kept. */
export function worksWithout(storage: Exclude<Storage, 'kept'>, lab: () => Lab<Browser>): void {
  const durable = storage === 'private'

  describe(storage === 'private' ? 'a private window' : 'a browser that denies storage', () => {
    it('sends the same again after a lost reply, for one order', async () => {
      const tab = await lab().newTab()
      lab().server.next('lose-reply', { share: 1 })
      await tab.evaluate(() => {
        window.lab.open()
        void window.lab.submit()
      })
      await tab.waitFor(() => window.lab.snapshot().state === 'waiting')
      lab().server.clearFaults()
      await tab.waitFor(() => window.lab.told.length > 0)
      const [outcome] = await tab.evaluate(() => window.lab.told)
      expect(outcome).toMatchObject({ state: 'succeeded', durable })
      expect(lab().keys()).toEqual([outcome?.key])
      expect(lab().bodies()).toHaveLength(1)
      expect(lab().orders()).toHaveLength(1)
    })

    if (durable) {
      it('knows an order after a reload in mid-flight', async () => {
        const tab = await lab().newTab()
        lab().server.next('hang-after-effect')
        await tab.evaluate(() => {
          // Firefox and WebKit tell a page that is being left that its request failed: not so soon to the next attempt.
          Math.random = () => 1
          window.lab.open({ retry: { baseDelayMs: 2_000 } })
          void window.lab.submit()
        })
        await lab().arrived(1)
        await tab.reload()
        await tab.evaluate(() => window.lab.open())
        await tab.waitFor(() => window.lab.snapshot().state === 'unknown')
        const outcome = await tab.evaluate(() => window.lab.resume())
        expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay' })
        expect(lab().keys()).toEqual([outcome.key])
        expect(lab().orders()).toHaveLength(1)
      })
    } else {
      it('sends nothing where the app refuses to go on from memory', async () => {
        const tab = await lab().newTab()
        const outcome = await tab.evaluate(() => {
          window.lab.open({ onStorageFailure: 'refuse' })
          return window.lab.submit()
        })
        expect(outcome).toEqual({ state: 'rejected', code: 'storage' })
        expect(lab().arrivals()).toEqual([])
      })
    }
  })
}
