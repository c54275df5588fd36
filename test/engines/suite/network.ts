import { expect, it } from 'vitest'
import type { Browser, Tab } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'
import { ended } from '../../browser/lab.ts'

/** A tab whose network its driver can cut. */
interface Cuttable extends Tab {
  goOffline(): Promise<void>
  goOnline(): Promise<void>
}

/** Engines whose drivers can say that there is no network; in the others it is the server that is not there. */
export function outwaitsTheNetwork(lab: () => Lab<Browser>, canGoOffline: boolean): void {
  it('waits while nothing arrives, and goes on with the same key', async () => {
    const tab = await lab().newTab()
    lab().server.network('down')
    await tab.evaluate(() => {
      window.lab.open()
      void window.lab.submit()
    })
    await tab.waitFor(() => window.lab.snapshot().state === 'waiting')
    lab().server.network('up')
    const outcome = await ended(tab)
    expect(outcome).toMatchObject({ state: 'succeeded' })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().orders()).toHaveLength(1)
  })

  it.runIf(canGoOffline)(
    'waits for the network where the browser says that it is offline',
    async () => {
      const tab = (await lab().newTab()) as Cuttable
      await tab.goOffline()
      await tab.waitFor(() => !navigator.onLine)
      await tab.evaluate(() => {
        window.lab.open({ retry: { baseDelayMs: 1e9, maxDelayMs: 1e9, deadlineMs: 2e9 } })
        void window.lab.submit()
      })
      await tab.waitFor(() => window.lab.snapshot().reason === 'offline')
      expect(lab().arrivals()).toEqual([])
      await tab.goOnline()
      const outcome = await ended(tab)
      expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
      expect(lab().orders()).toHaveLength(1)
    },
  )
}
