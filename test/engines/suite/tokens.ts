import { expect, it } from 'vitest'
import type { Browser } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'

/** The lab's server knows a repeat by a one-time token. */
export function asksForTokens(lab: () => Lab<Browser>): void {
  it('asks what became of a one-time token whose reply was lost', async () => {
    const tab = await lab().newTab()
    // As often as the browser repeats it by itself.
    lab().server.next('lose-reply', { share: 1 })
    const unknown = await tab.evaluate(() => {
      // Nobody is asked by itself here: a person does.
      const { oneTimeToken } = window.sendonce
      const recover = '/api/orders/by-token/{token}'
      window.lab.open({ profile: oneTimeToken({ recover }), retry: { maxAttempts: 1 } })
      return window.lab.submit()
    })
    expect(unknown).toMatchObject({ state: 'unknown' })
    lab().server.clearFaults()
    const known = await tab.evaluate(async () => (await window.lab.order.recover()).state)
    expect(known).toBe('succeeded')
    const [order, ...others] = lab().orders()
    expect(others).toEqual([])
    const spent = lab()
      .arrivals()
      .flatMap(({ token }) => token ?? [])
    expect(new Set(spent)).toEqual(new Set([order?.token]))
  })
}
