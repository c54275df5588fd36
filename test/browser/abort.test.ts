import { describe, expect, it } from 'vitest'
import { ended, oneLab } from './lab.ts'

declare global {
  interface Window {
    controller: AbortController
  }
}

const lab = oneLab()

describe('aborting before the first byte', () => {
  it('mints nothing when the signal is aborted already', async () => {
    const tab = await lab().newTab()
    const outcome = await tab.evaluate(async () => {
      window.lab.open()
      await window.lab.client.unsettled()
      return window.lab.submit({ signal: AbortSignal.abort() })
    })
    expect(outcome).toEqual({ state: 'rejected', code: 'aborted' })
    expect(await tab.evaluate(() => window.lab.stored())).toEqual([])
    expect(lab().arrivals()).toEqual([])
  })

  it('leaves nothing when it is aborted in the task of the submit', async () => {
    const tab = await lab().newTab()
    const outcome = await tab.evaluate(() => {
      window.lab.open()
      const controller = new AbortController()
      const told = window.lab.submit({ signal: controller.signal })
      controller.abort()
      return told
    })
    expect(outcome).toEqual({ state: 'rejected', code: 'aborted' })
    expect(await tab.evaluate(() => window.lab.stored())).toEqual([])
    expect(lab().arrivals()).toEqual([])
  })

  it('leaves nothing when it is aborted after the key was committed, in a hook', async () => {
    const tab = await lab().newTab()
    const said = await tab.evaluate(async () => {
      const controller = new AbortController()
      const committed: unknown[] = []
      const hook = async () => {
        committed.push(...(await window.lab.stored()))
        controller.abort()
      }
      window.lab.open({ ky: window.ky.extend({ hooks: { beforeRequest: [hook] } }) })
      const outcome = await window.lab.submit({ signal: controller.signal })
      return { outcome, committed: committed.length }
    })
    expect(said).toEqual({ outcome: { state: 'rejected', code: 'aborted' }, committed: 1 })
    expect(await tab.evaluate(() => window.lab.stored())).toEqual([])
    expect(lab().arrivals()).toEqual([])

    const outcome = await tab.evaluate(() => {
      window.lab.open()
      return window.lab.submit()
    })
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1 })
    expect(lab().orders()).toHaveLength(1)
  })
})

describe('aborting after the first byte', () => {
  it('leaves it unknown, with its key, whatever the server made of it', async () => {
    const tab = await lab().newTab()
    lab().server.next('hang-after-effect')
    await tab.evaluate(() => {
      window.lab.open()
      window.controller = new AbortController()
      void window.lab.submit({ signal: window.controller.signal })
    })
    await lab().arrived(1)
    await tab.evaluate(() => window.controller.abort())
    const aborted = await ended(tab)
    expect(aborted).toMatchObject({ state: 'unknown', reason: 'aborted', attempts: 1 })
    expect(await tab.evaluate(() => window.lab.stored())).toMatchObject([{ key: aborted.key }])

    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(outcome).toMatchObject({ state: 'succeeded', key: aborted.key, from: 'replay' })
    expect(lab().keys()).toEqual([aborted.key])
    expect(lab().orders()).toHaveLength(1)
  })

  it('is not resumed by itself', async () => {
    const tab = await lab().newTab()
    lab().server.next('hang')
    await tab.evaluate(() => {
      window.lab.open()
      window.controller = new AbortController()
      void window.lab.submit({ signal: window.controller.signal })
    })
    await lab().arrived(1)
    await tab.evaluate(() => window.controller.abort())
    await ended(tab)
    await tab.reload()
    const resumed = await tab.evaluate(() => {
      window.lab.open()
      return window.lab.client.resumeAll()
    })
    expect(resumed).toEqual([])
    expect(lab().arrivals()).toHaveLength(1)
  })

  it('ends the waiting of one of two callers only', async () => {
    const tab = await lab().newTab()
    lab().server.next('hang-after-effect')
    await tab.evaluate(() => {
      window.lab.open()
      window.controller = new AbortController()
      void window.lab.submit()
      void window.lab.submit({ signal: window.controller.signal })
    })
    await lab().arrived(1)
    await tab.evaluate(() => window.controller.abort())
    expect(await ended(tab)).toMatchObject({ state: 'unknown', reason: 'aborted' })
    expect(await tab.evaluate(() => window.lab.snapshot())).toMatchObject({ state: 'sending' })

    lab().server.release()
    const other = await tab.waitFor(() => window.lab.told.length === 2 && window.lab.told[1])
    expect(other).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(lab().keys()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })
})

describe('aborting between two attempts', () => {
  it('ends a backoff at once', async () => {
    const tab = await lab().newTab()
    lab().server.next(503)
    await tab.evaluate(() => {
      window.lab.open({ retry: { baseDelayMs: 1e9, maxDelayMs: 1e9, deadlineMs: 2e9 } })
      window.controller = new AbortController()
      void window.lab.submit({ signal: window.controller.signal })
    })
    await tab.waitFor(() => window.lab.snapshot().state === 'waiting')
    await tab.evaluate(() => window.controller.abort())
    const outcome = await ended(tab)
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'aborted', attempts: 1 })
    expect(lab().arrivals()).toHaveLength(1)
  })

  it('leaves it paused where nothing was executed', async () => {
    const tab = await lab().newTab()
    lab().server.next({ is: 'status', status: 429, retryAfter: 100 })
    await tab.evaluate(() => {
      window.lab.open()
      window.controller = new AbortController()
      void window.lab.submit({ signal: window.controller.signal })
    })
    await tab.waitFor(() => window.lab.snapshot().state === 'waiting')
    await tab.evaluate(() => window.controller.abort())
    const outcome = await ended(tab)
    expect(outcome).toMatchObject({ state: 'paused', reason: 'rate-limited', attempts: 1 })
    expect(lab().arrivals()).toHaveLength(1)
  })
})
