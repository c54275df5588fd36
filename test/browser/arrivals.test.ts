import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneLab } from './lab.ts'

/** As many as Chromium opens to one host: however many the page has used, all of them are idle then. */
const CONNECTIONS = 6

/** Holds answers that take time until each connection has a request that waits for its own. */
let held: (() => void)[] | undefined
const timer = (ms: number, run: () => void) => {
  let timeout: NodeJS.Timeout | undefined
  const start = () => {
    timeout = setTimeout(run, ms)
  }
  if (!held) start()
  else if (held.push(start) === CONNECTIONS) {
    for (const each of held) each()
    held = undefined
  }
  return () => clearTimeout(timeout)
}

const lab = oneLab({ server: { timer } })

/** A tab whose connections are all idle: a browser sends a request again that breaks on one of these. */
async function tabWithIdleConnections(): Promise<ChromiumTab> {
  const tab = await lab().newTab()
  held = []
  const requests = CONNECTIONS
  lab().server.next({ is: 'slow-reply', ms: 1 }, { requests, path: '/api/plain/orders' })
  await tab.evaluate(async requests => {
    const post = () => fetch('/api/plain/orders', { method: 'POST' }).then(reply => reply.text())
    await Promise.all(Array.from({ length: requests }, post))
    window.lab.open()
  }, requests)
  return tab
}

describe('one fetch that arrives several times', () => {
  it('is one order, and a success', async () => {
    const tab = await tabWithIdleConnections()
    lab().server.next('reset-reused', { requests: 2 })
    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(
      lab()
        .arrivals()
        .map(({ reused }) => reused),
    ).toEqual([true, true, true])
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1, from: 'replay' })
    expect(outcome.data).toMatchObject({ item: 'book' })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().bodies()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })

  it('is one order when no arrival is answered: the next attempt has the same key', async () => {
    const tab = await tabWithIdleConnections()
    // Each idle connection, and a new one.
    lab().server.next('lose-reply', { requests: CONNECTIONS + 1 })
    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(
      lab()
        .arrivals()
        .map(({ effect }) => effect),
    ).toEqual(['executed', ...Array(CONNECTIONS + 1).fill('replayed')])
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().bodies()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })

  it('waits when the second arrival is told that the first is being worked on', async () => {
    const tab = await tabWithIdleConnections()
    lab().server.next({ is: 'hang-up', ms: 300 })
    const outcome = await tab.evaluate(() => window.lab.submit())
    const [first, echo] = lab().arrivals()
    expect(first).toMatchObject({ reply: { is: 'lost' } })
    expect(echo).toMatchObject({ reply: { is: 'answered', status: 409 } })
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().orders()).toHaveLength(1)
  })

  it('keeps the key when the echo is refused by the front, which knows nothing of the first', async () => {
    const tab = await tabWithIdleConnections()
    lab().server.next('reset-reused')
    lab().server.next(401)
    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(outcome).toMatchObject({ state: 'paused', reason: 'unauthorized', status: 401 })
    expect(lab().orders()).toHaveLength(1)
    const resumed = await tab.evaluate(() => window.lab.resume())
    expect(resumed).toMatchObject({ state: 'succeeded', key: outcome.key, from: 'replay' })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().orders()).toHaveLength(1)
  })

  it('leaves it unknown where the server promises nothing', async () => {
    const tab = await tabWithIdleConnections()
    lab().server.next('lose-reply', { requests: CONNECTIONS + 1 })
    const outcome = await tab.evaluate(() => {
      const { idempotencyKey } = window.sendonce
      window.lab.open({ profile: { ...idempotencyKey(), id: 'nothing', guarantee: 'none' } })
      return window.lab.submit()
    })
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'not-retryable', attempts: 1 })
    expect(lab().arrivals()).toHaveLength(CONNECTIONS + 1)
    await tab.evaluate(() => window.lab.submit())
    expect(lab().arrivals()).toHaveLength(CONNECTIONS + 1)
  })
})
