import { describe, expect, it } from 'vitest'
import { oneLab } from './lab.ts'

const lab = oneLab()

describe('a refusal of the front after an attempt that was executed and not answered', () => {
  it.each([401, 403, 404, 413])('leaves it unknown and keeps the key: %i', async status => {
    const tab = await lab().newTab()
    lab().server.next('hang-after-effect')
    lab().server.next(status, { share: 1 })
    const outcome = await tab.evaluate(() => {
      window.lab.open({ retry: { attemptTimeoutMs: 500 } })
      return window.lab.submit()
    })
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'refused-later', status })
    expect(outcome).toMatchObject({ resumable: true })

    lab().server.clearFaults()
    const resumed = await tab.evaluate(() => window.lab.resume())
    expect(resumed).toMatchObject({ state: 'succeeded', from: 'replay', key: outcome.key })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().bodies()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })

  it('leaves it unknown and keeps the key: 429 until the turn is over', async () => {
    const tab = await lab().newTab()
    lab().server.next({ is: 'status', status: 503, effect: true })
    lab().server.next(429, { share: 1 })
    const outcome = await tab.evaluate(() => {
      window.lab.open({ retry: { deadlineMs: 3_000, maxAttempts: 2 } })
      return window.lab.submit()
    })
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'deadline', status: 429 })

    lab().server.clearFaults()
    const resumed = await tab.evaluate(() => window.lab.resume())
    expect(resumed).toMatchObject({ state: 'succeeded', from: 'replay', key: outcome.key })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().orders()).toHaveLength(1)
  })
})

describe('a refusal of the only attempt', () => {
  it('is a refusal, and the corrected form is a new operation with a new key', async () => {
    const tab = await lab().newTab()
    const refused = await tab.evaluate(() => {
      window.lab.open()
      return window.lab.submit({ json: { item: 'book', amount: 42, address: ' ' } })
    })
    expect(refused).toMatchObject({ state: 'refused', attempts: 1, status: 422 })
    expect(refused.data).toMatchObject({ detail: 'The address is missing.' })

    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1, from: 'reply' })
    expect(lab().keys()).toEqual([refused.key, outcome.key])
    expect(outcome.key).not.toBe(refused.key)
    expect(lab().orders()).toHaveLength(1)
  })

  it('pauses when it is about the session, and goes on with the same key', async () => {
    const tab = await lab().newTab()
    lab().server.next(401)
    const paused = await tab.evaluate(() => {
      window.lab.open()
      return window.lab.submit()
    })
    expect(paused).toMatchObject({ state: 'paused', reason: 'unauthorized', status: 401 })
    expect(lab().orders()).toHaveLength(0)
    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(outcome).toMatchObject({ state: 'succeeded', key: paused.key })
    expect(lab().keys()).toEqual([paused.key])
    expect(lab().orders()).toHaveLength(1)
  })
})
