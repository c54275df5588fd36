import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { oneShop, shown } from './shop.ts'

const chromium = oneChromium()
const shop = oneShop()

const ATTEMPT_TIMEOUT_MS = 1_500
/** A lease is the time of an attempt and a second. */
const leaseMs = (attemptTimeoutMs: number) => attemptTimeoutMs + 1_000

/** A tab whose order is at the server, which never answers; and until when its lease is. */
async function tabInFlight(operation: string, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS) {
  const { server, checkout, arrival } = shop()
  server.next('hang-after-effect')
  const tab = await chromium().newTab(checkout({ operation, attemptTimeoutMs }))
  await tab.click('button')
  await arrival(operation)
  const { startedAt } = await shown(tab)
  return { tab, leaseUntil: Number(startedAt) + leaseMs(attemptTimeoutMs) }
}

const sleeps = {
  'that is frozen': {
    begin: (tab: ChromiumTab) => tab.freeze(),
    end: (tab: ChromiumTab) => tab.unfreeze(),
  },
  'in the back-forward cache': {
    begin: (tab: ChromiumTab) =>
      tab.open(`${shop().origin.replace('127.0.0.1', 'elsewhere.test')}/blank.html`),
    async end(tab: ChromiumTab) {
      expect(await tab.back()).toEqual({ fromCache: true, reasons: [] })
    },
  },
}

describe.each(Object.entries(sleeps))('a tab %s', (where, sleep) => {
  it('is outwaited, and sends nothing more when it wakes', async () => {
    const { checkout, arrivals, orders } = shop()
    const operation = `asleep: ${where}`
    const other = await chromium().newTab(
      checkout({ operation, attemptTimeoutMs: ATTEMPT_TIMEOUT_MS }),
    )
    const { tab: sleeper, leaseUntil } = await tabInFlight(operation)
    await other.show()
    await sleep.begin(sleeper)
    await other.click('button')
    const { told } = await other.evaluate(() => window.checkout.whenTold(1))

    const [order, ...others] = orders(operation)
    expect(others).toEqual([])
    const success = { state: 'succeeded', key: order?.key, data: { id: order?.id } }
    expect(told).toMatchObject([{ ...success, attempts: 2 }])
    const [first, second] = arrivals(operation)
    expect(second).toMatchObject({ key: order?.key, bodyDigest: first?.bodyDigest })
    expect(second?.at).toBeGreaterThanOrEqual(leaseUntil)

    await sleep.end(sleeper)
    const woken = await sleeper.evaluate(() => window.checkout.whenTold(1))
    expect(woken.told).toMatchObject([success])
    expect(await shown(sleeper)).toMatchObject(success)
    await sleeper.evaluate(() => window.checkout.client.idle())
    expect(arrivals(operation)).toHaveLength(2)
  })
})

describe('a tab that looks on', () => {
  /** When the tab first showed that nobody knows, and when it last showed that somebody sends. */
  async function whenUnknown(tab: ChromiumTab): Promise<{ unknownAt: number; sendingAt: number }> {
    await tab.waitFor(() => window.checkout.course().shown.some(({ state }) => state === 'unknown'))
    const all = await tab.evaluate(() => window.checkout.course().shown)
    const unknown = all.find(({ state }) => state === 'unknown')
    expect(unknown).toMatchObject({ reason: 'interrupted', key: expect.any(String) })
    const sending = all.findLast(({ state }) => state === 'sending')
    expect(sending).toMatchObject({ here: false, key: unknown?.key })
    return { unknownAt: Number(unknown?.at), sendingAt: Number(sending?.at) }
  }

  it('shows that a dead tab sends for a moment only, however long its lease', async () => {
    const operation = 'looks on: dead'
    const onlooker = await chromium().newTab(shop().checkout({ operation }))
    const { tab: dying, leaseUntil } = await tabInFlight(operation, 30_000)
    await onlooker.show()
    await onlooker.waitFor(() => window.checkout.course().shown.at(-1)?.state === 'sending')
    await dying.crash()
    const { unknownAt } = await whenUnknown(onlooker)
    expect(unknownAt).toBeLessThan(leaseUntil)
  })

  it('shows that a frozen tab sends until its lease is over, and no longer', async () => {
    const operation = 'looks on: frozen'
    const onlooker = await chromium().newTab(shop().checkout({ operation }))
    const { tab: sleeper, leaseUntil } = await tabInFlight(operation)
    await onlooker.show()
    await sleeper.freeze()
    const { unknownAt, sendingAt } = await whenUnknown(onlooker)
    expect(sendingAt).toBeLessThan(leaseUntil)
    expect(unknownAt).toBeGreaterThanOrEqual(leaseUntil)
    console.log(`That a lease is over was seen ${unknownAt - leaseUntil} ms later.`)
  })
})
