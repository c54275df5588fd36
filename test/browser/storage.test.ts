import { describe, expect, it } from 'vitest'
import { worksInFrames } from '../engines/suite/frames.ts'
import { writesAhead } from '../engines/suite/writing.ts'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { ended, oneLab } from './lab.ts'

const lab = oneLab({ cors: true })

/** A tab whose pages have no IndexedDB from the first. */
async function tabWithoutIndexedDb(): Promise<ChromiumTab> {
  const tab = await lab().browser.newTab()
  await tab.cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: 'delete self.indexedDB' })
  await tab.open(lab().url())
  expect(await tab.evaluate(() => 'indexedDB' in window)).toBe(false)
  return tab
}

describe('a browser that has never been able to store', () => {
  it('works from memory, and says so', async () => {
    const tab = await tabWithoutIndexedDb()
    lab().server.next(503)
    const outcome = await tab.evaluate(() => {
      window.lab.open()
      return window.lab.submit()
    })
    expect(outcome).toMatchObject({ state: 'succeeded', durable: false, attempts: 2 })
    expect(await tab.evaluate(() => window.lab.events.map(({ type }) => type))).toEqual([
      'not-durable',
      'claimed',
      'sent',
      'answered',
      'waiting',
      'claimed',
      'sent',
      'answered',
      'succeeded',
    ])
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().orders()).toHaveLength(1)
  })

  it('sends nothing where the app refuses that', async () => {
    const tab = await tabWithoutIndexedDb()
    const outcome = await tab.evaluate(() => {
      window.lab.open({ onStorageFailure: 'refuse' })
      return window.lab.submit()
    })
    expect(outcome).toEqual({ state: 'rejected', code: 'storage' })
    expect(lab().arrivals()).toEqual([])
  })

  worksInFrames(lab)
})

describe('a browser that has stored before', () => {
  it('sends nothing when it cannot any more: an unsettled key may lie there', async () => {
    const tab = await lab().newTab()
    lab().server.next({ is: 'status', status: 503, effect: true })
    const first = await tab.evaluate(() => {
      window.lab.open({ retry: { maxAttempts: 1 } })
      return window.lab.submit()
    })
    expect(first).toMatchObject({ state: 'unknown', durable: true })

    const broken = await tabWithoutIndexedDb()
    const outcome = await broken.evaluate(() => {
      window.lab.open()
      return window.lab.submit()
    })
    expect(outcome).toEqual({ state: 'rejected', code: 'storage' })
    expect(lab().keys()).toEqual([first.key])
    expect(lab().arrivals()).toHaveLength(1)
  })

  it('goes on with the same key when the database goes after the first send', async () => {
    const tab = await lab().newTab()
    lab().server.next('hang-after-effect', { share: 1 })
    await tab.evaluate(() => {
      window.lab.open({ retry: { attemptTimeoutMs: 500 } })
      void window.lab.submit()
    })
    await lab().arrived(1)
    await tab.cdp.send('Storage.clearDataForOrigin', {
      origin: new URL(lab().url()).origin,
      storageTypes: 'all',
    })
    await tab.evaluate(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('It is gone.', 'SecurityError')
      }
    })
    lab().server.clearFaults()
    const outcome = await ended(tab)
    expect(outcome).toMatchObject({ state: 'succeeded', durable: false })
    expect(lab().arrivals().length).toBeGreaterThan(1)
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().bodies()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })
})

writesAhead(lab)
