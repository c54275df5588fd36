import { describe, expect, it } from 'vitest'
import { ended, oneLab } from './lab.ts'
import type { Told } from './pages/lab.ts'

const lab = oneLab()

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

describe('a page that comes back from the back-forward cache', () => {
  it('shows what another tab has settled in the meantime, and sends nothing', async () => {
    const tab = await lab().newTab()
    lab().server.next({ is: 'status', status: 503, effect: true })
    const unknown = await tab.evaluate(() => {
      window.lab.open({ retry: { maxAttempts: 1 } })
      return window.lab.submit()
    })
    expect(unknown).toMatchObject({ state: 'unknown', reason: 'attempts' })
    await tab.open(lab().url('other.test'))

    const { key, data } = await settleElsewhere()
    expect(await tab.back()).toEqual({ fromCache: true, reasons: [] })
    await tab.waitFor(() => window.lab.snapshot().state === 'succeeded')
    expect(await tab.evaluate(() => window.lab.snapshot())).toMatchObject({ key, data })
    await tab.evaluate(() => window.lab.client.idle())
    expect(lab().arrivals()).toHaveLength(2)
    expect(lab().orders()).toHaveLength(1)
  })

  it('shows the same result when it left in mid-flight, and sends nothing more', async () => {
    const tab = await lab().newTab()
    lab().server.next({ is: 'slow-reply', ms: 3_000 })
    await tab.evaluate(() => {
      window.lab.open()
      void window.lab.submit()
    })
    await lab().arrived(1)
    await tab.open(lab().url('other.test'))

    const { key, data } = await settleElsewhere()
    expect(await tab.back()).toEqual({ fromCache: true, reasons: [] })
    expect(await ended(tab)).toMatchObject({ state: 'succeeded', key, data })
    await tab.evaluate(() => window.lab.client.idle())
    expect(lab().arrivals()).toHaveLength(2)
    expect(lab().keys()).toEqual([key])
    expect(lab().orders()).toHaveLength(1)
  })

  it('goes on at once with what it waited for', async () => {
    const tab = await lab().newTab()
    lab().server.next(503)
    await tab.evaluate(() => {
      window.lab.open({ retry: { baseDelayMs: 1e9, maxDelayMs: 1e9, deadlineMs: 2e9 } })
      void window.lab.submit()
    })
    await tab.waitFor(() => window.lab.snapshot().state === 'waiting')
    await tab.open(lab().url('other.test'))
    expect(await tab.back()).toEqual({ fromCache: true, reasons: [] })
    const outcome = await ended(tab)
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().orders()).toHaveLength(1)
  })
})
