import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { ended, oneLab } from './lab.ts'

declare global {
  interface Window {
    /** What was asked of the disk and of the network, in order. */
    course: string[]
  }
}

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

  it.each([
    ['works from memory', 'memory', { state: 'succeeded', durable: false }],
    ['sends nothing where the app refuses that', 'refuse', { state: 'rejected', code: 'storage' }],
  ] as const)('%s in a frame without an origin, which throws', async (_title, policy, expected) => {
    const tab = await lab().newTab()
    const outcome = await tab.evaluate(policy => {
      const frame = document.createElement('iframe')
      frame.sandbox.add('allow-scripts')
      frame.src = location.href
      return new Promise<unknown>(resolve => {
        window.addEventListener('message', ({ data }) => resolve(data), { once: true })
        frame.onload = () => {
          const run = `() => {
            lab.open({ onStorageFailure: '${policy}' })
            return lab.submit({ url: '${location.origin}/api/orders' })
          }`
          frame.contentWindow?.postMessage(run, '*')
        }
        document.body.append(frame)
      })
    }, policy)
    expect(outcome).toMatchObject(expected)
    expect(lab().orders()).toHaveLength(expected.state === 'succeeded' ? 1 : 0)
  })
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
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay', durable: false })
    expect(lab().keys()).toEqual([outcome.key])
    expect(lab().bodies()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })
})

/** Runs in the page: writes down what is asked of the disk and of the network. */
function writeCourse(): void {
  window.course = []
  const { transaction } = IDBDatabase.prototype
  IDBDatabase.prototype.transaction = function (...given: Parameters<typeof transaction>) {
    const begun = Reflect.apply(transaction, this, given)
    window.course.push(`${begun.mode} ${begun.durability}`)
    begun.addEventListener('complete', () => window.course.push('complete'))
    return begun
  }
  const fetched = window.fetch
  window.fetch = (...given) => {
    window.course.push('fetch')
    return fetched(...given)
  }
}

describe('writing ahead', () => {
  it('lets nothing leave before the one transaction that holds its key is complete', async () => {
    const tab = await lab().newTab()
    await tab.evaluate(async () => {
      window.lab.open()
      await window.lab.client.unsettled()
    })
    await tab.evaluate(writeCourse)
    const outcome = await tab.evaluate(() => window.lab.submit())
    expect(outcome).toMatchObject({ state: 'succeeded', durable: true })
    const course = await tab.evaluate(() => window.course)
    expect(course.slice(0, 3)).toEqual(['readwrite strict', 'complete', 'fetch'])
    expect(course.filter(step => step === 'fetch')).toHaveLength(1)
  })

  it('does so before each attempt', async () => {
    const tab = await lab().newTab()
    await tab.evaluate(async () => {
      window.lab.open()
      await window.lab.client.unsettled()
    })
    await tab.evaluate(writeCourse)
    lab().server.next(503)
    await tab.evaluate(() => window.lab.submit())
    const course = await tab.evaluate(() => window.course)
    expect(course.slice(0, 3)).toEqual(['readwrite strict', 'complete', 'fetch'])
    const again = course.lastIndexOf('fetch')
    expect(again).toBeGreaterThan(2)
    expect(course.slice(again - 2, again)).toEqual(['readwrite strict', 'complete'])
  })

  it('sends nothing when the transaction is aborted after its request has succeeded', async () => {
    const tab = await lab().newTab()
    const outcome = await tab.evaluate(async () => {
      window.lab.open({ onStorageFailure: 'refuse' })
      await window.lab.client.unsettled()
      for (const method of ['add', 'put'] as const) {
        const write = IDBObjectStore.prototype[method]
        IDBObjectStore.prototype[method] = function (...given: Parameters<typeof write>) {
          const request = Reflect.apply(write, this, given)
          request.addEventListener('success', () => this.transaction.abort())
          return request
        }
      }
      // One that was called could not be aborted any more by this page, only by the browser.
      IDBTransaction.prototype.commit = () => {}
      return window.lab.submit()
    })
    expect(outcome).toEqual({ state: 'rejected', code: 'storage' })
    expect(lab().arrivals()).toEqual([])
  })
})
