import type { FaultInput } from 'sendonce/testing'
import { expect, it } from 'vitest'
import type { Browser } from '../../browser/driver/driver.ts'
import type { Shop } from '../../browser/shop.ts'

/** Ends the attempts that nothing else ends. */
const ATTEMPT_TIMEOUT_MS = 500

const losses: [what: string, fault: FaultInput, as: 'json' | 'form'][] = [
  ['the reply is lost', 'lose-reply', 'json'],
  // The boundary of a multipart body must be the same as well.
  ['the reply to a form is lost', 'lose-reply', 'form'],
  ['the request is lost', 'lose-request', 'json'],
  ['the reply breaks off in its body', 'cut-body', 'json'],
  ['the reply stands still in its body', 'stall-body', 'json'],
  ['a 503 comes', { is: 'status', status: 503, retryAfter: 0 }, 'json'],
  ['a 503 comes although it is done', { is: 'status', status: 503, effect: true }, 'json'],
  ['no reply ever comes', 'hang', 'json'],
  ['no reply ever comes although it is done', 'hang-after-effect', 'json'],
]

/** A request or its reply is lost, and the same is sent again. */
export function losesNothing(browser: () => Browser, shop: () => Shop): void {
  it.each(losses)(
    'sends the same key and bytes again, for one order, when %s',
    async (operation, fault, as) => {
      const { server, checkout, arrivals, orders } = shop()
      const tab = await browser().newTab(
        checkout({ operation, as, attemptTimeoutMs: ATTEMPT_TIMEOUT_MS, baseDelayMs: 100 }),
      )
      // What a broken connection has swallowed the browser repeats without a word to the page; a 503 it does not.
      if (typeof fault === 'string') server.next(fault, { share: 1 })
      else server.next(fault)
      await tab.click('button')
      await tab.waitFor(() =>
        window.checkout.course().shown.some(({ state }) => state === 'waiting'),
      )
      server.clearFaults()

      const { told } = await tab.evaluate(() => window.checkout.whenTold(1))
      const [order, ...others] = orders(operation)
      expect(others).toEqual([])
      expect(told).toMatchObject([{ state: 'succeeded', key: order?.key, data: { id: order?.id } }])
      const requests = arrivals(operation)
      expect(requests.length).toBeGreaterThanOrEqual(2)
      expect(new Set(requests.map(({ key }) => key))).toEqual(new Set([order?.key]))
      // The body of a lost request was not read.
      const bodies = requests.flatMap(({ bodyDigest }) => bodyDigest ?? [])
      expect(new Set(bodies).size).toBe(1)
    },
  )

  it('waits as long as a 503 asks', async () => {
    const { server, checkout, arrivals, orders } = shop()
    const operation = 'retry-after'
    const tab = await browser().newTab(checkout({ operation, baseDelayMs: 1 }))
    server.next({ is: 'status', status: 503, retryAfter: 1 })
    await tab.click('button')
    const { told } = await tab.evaluate(() => window.checkout.whenTold(1))
    expect(told).toMatchObject([{ state: 'succeeded', attempts: 2 }])
    const [first, second, ...others] = arrivals(operation)
    expect(others).toEqual([])
    expect(first?.reply).toMatchObject({ is: 'answered', status: 503 })
    const askedAt = first?.reply.is === 'answered' ? first.reply.at : Number.NaN
    expect(Number(second?.at) - askedAt).toBeGreaterThanOrEqual(1_000)
    expect(second).toMatchObject({ key: first?.key, bodyDigest: first?.bodyDigest })
    expect(orders(operation)).toHaveLength(1)
  })
}
