import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneLab } from './lab.ts'
import type { Told } from './pages/lab.ts'

const lab = oneLab({ cors: true })

/** Sends the order again when nothing is in its way any more: the key is still the one it was. */
async function expectGoesOn(tab: ChromiumTab, outcome: Told): Promise<void> {
  lab().server.clearFaults()
  const resumed = await tab.evaluate(() => window.lab.resume())
  expect(resumed).toMatchObject({ state: 'succeeded', key: outcome.key })
  expect(lab().keys()).toEqual([outcome.key])
  expect(lab().orders()).toHaveLength(1)
}

describe('a 2xx that is not the server’s', () => {
  it.each([
    ['a sign-in page after a redirect', 'sign-in'],
    ['the page of a captive portal', 'captive-portal'],
  ] as const)('is no success: %s', async (_title, fault) => {
    const tab = await lab().newTab()
    lab().server.next(fault, { share: 1 })
    const outcome = await tab.evaluate(() => {
      window.lab.open({ retry: { maxAttempts: 2 } })
      return window.lab.submit()
    })
    expect(outcome).toMatchObject({
      state: 'unknown',
      reason: 'attempts',
      attempts: 2,
      status: 200,
    })
    expect(lab().orders()).toHaveLength(0)
    await expectGoesOn(tab, outcome)
  })

  it('is no success: what may not be read, because another origin does not allow it', async () => {
    const tab = await lab().newTab()
    lab().server.next('opaque', { share: 1 })
    const outcome = await tab.evaluate(
      url => {
        window.lab.open({ retry: { maxAttempts: 2 } })
        return window.lab.submit({ url })
      },
      lab().url('api.test').replace('/lab.html', '/api/orders'),
    )
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'attempts', attempts: 2 })
    expect(outcome).not.toHaveProperty('status')
    expect(lab().orders()).toHaveLength(1)
    await expectGoesOn(tab, outcome)
  })

  it('is not asked for: an opaque answer, because the app wants no-cors', async () => {
    const tab = await lab().newTab()
    const outcome = await tab.evaluate(
      url => {
        const ky = window.ky.extend({ mode: 'no-cors' })
        window.lab.open({ ky, retry: { maxAttempts: 2 } })
        return window.lab.submit({ url })
      },
      lab().url('api.test').replace('/lab.html', '/api/orders'),
    )
    expect(outcome).toEqual({ state: 'rejected', code: 'not-sent' })
    // The browser would have taken the key off.
    expect(lab().arrivals()).toEqual([])
  })

  it('is no success: an opaque redirect, because the app follows none', async () => {
    const tab = await lab().newTab()
    lab().server.next('sign-in', { share: 1 })
    const outcome = await tab.evaluate(() => {
      const ky = window.ky.extend({ redirect: 'manual' })
      window.lab.open({ ky, retry: { maxAttempts: 2 } })
      return window.lab.submit()
    })
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'attempts', attempts: 2 })
    expect(lab().orders()).toHaveLength(0)
    await expectGoesOn(tab, outcome)
  })
})

describe('a redirect that keeps the method', () => {
  it.each([307, 308])('keeps key and body too, and is asked again: %i', async status => {
    const tab = await lab().newTab()
    lab().server.next(status)
    const outcome = await tab.evaluate(() => {
      window.lab.open()
      return window.lab.submit()
    })
    const [sentOn, arrived, again] = lab().arrivals()
    expect(sentOn).toMatchObject({ method: 'POST', reply: { status }, effect: 'none' })
    expect(arrived).toMatchObject({ method: 'POST', effect: 'executed' })
    // A page cannot tell this redirect from one to a sign-in page.
    expect(again).toMatchObject({ method: 'POST', effect: 'replayed' })
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().bodies()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })

  it('stays unknown where it comes each time, with one order', async () => {
    const tab = await lab().newTab()
    lab().server.next(307, { share: 1 })
    const outcome = await tab.evaluate(() => {
      window.lab.open({ retry: { maxAttempts: 2 } })
      return window.lab.submit()
    })
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'attempts', status: 201 })
    expect(lab().arrivals()).toHaveLength(4)
    expect(lab().orders()).toHaveLength(1)
    await expectGoesOn(tab, outcome)
  })
})
