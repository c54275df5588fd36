import { expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneLab } from './lab.ts'

/** Of an app that was offline for a season, or loops. */
const MANY = 10_000
const OPERATIONS = 1_000
const TABS = 4

const lab = oneLab()

/** Leaves so many orders behind of which nobody knows, as one that was really left, each under a name of its own. */
async function leave(tab: ChromiumTab, count: number): Promise<void> {
  lab().server.next(503)
  await tab.evaluate(() => window.lab.open({ retry: { maxAttempts: 1 } }))
  expect(await tab.evaluate(() => window.lab.submit())).toMatchObject({ state: 'unknown' })
  await tab.evaluate(
    count =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('sendonce')
        opening.onsuccess = () => {
          const transaction = opening.result.transaction('operations', 'readwrite')
          const store = transaction.objectStore('operations')
          const reading = store.openCursor(null, 'prev')
          reading.onsuccess = () => {
            const cursor = reading.result
            if (!cursor) return
            if (!JSON.stringify(cursor.key).includes('order')) return cursor.continue()
            const [name, scope] = cursor.key as string[]
            for (let n = 1; n < count; n += 1) {
              store.put(cursor.value, [name, scope, `order/${n}`] as string[])
            }
          }
          transaction.oncomplete = () => {
            opening.result.close()
            resolve()
          }
          transaction.onerror = () => reject(transaction.error)
        }
      }),
    count,
  )
}

it(`finds ${MANY} orders that a page has left, keeps none of them in memory, and sends none`, async () => {
  const tab = await lab().newTab()
  await leave(tab, MANY)
  await tab.reload()
  const found = await tab.evaluate(async () => {
    window.lab.open()
    const unsettled = await window.lab.client.unsettled()
    const held = { list: new WeakRef(unsettled), handles: [] as WeakRef<object>[] }
    for (const { operation } of unsettled) {
      held.handles.push(new WeakRef(window.lab.client.operation(operation)))
    }
    Object.assign(window, { held })
    return new Set(unsettled.map(({ operation, snapshot }) => `${operation} ${snapshot.state}`))
      .size
  })
  expect(found).toBe(MANY)
  // One is new, and takes its way among them.
  expect(
    await tab.evaluate(async () => {
      const outcome = window.lab.client.submit('another', { url: '/api/orders', json: { n: 1 } })
      return (await outcome).state
    }),
  ).toBe('succeeded')
  expect(await alive(tab)).toEqual({ list: false, handles: 1 })
  expect(lab().orders()).toHaveLength(1)
  expect(lab().arrivals()).toHaveLength(2)
})

it(`lets go of the handles and listeners of ${OPERATIONS} operations that have ended`, async () => {
  const tab = await lab().newTab()
  const states = await tab.evaluate(async count => {
    window.lab.open()
    const { client } = window.lab
    const held = { list: new WeakRef({}), handles: [] as WeakRef<object>[] }
    Object.assign(window, { held })
    const outcomes = Array.from({ length: count }, async (_, n) => {
      const operation = client.operation(`each/${n}`)
      const listener = () => void operation.getSnapshot()
      held.handles.push(new WeakRef(operation), new WeakRef(listener))
      const stop = operation.subscribe(listener)
      const { state } = await operation.submit({ url: '/api/orders', json: { n } })
      stop()
      return state
    })
    return [...new Set(await Promise.all(outcomes))]
  }, OPERATIONS)
  expect(states).toEqual(['succeeded'])
  expect(await alive(tab)).toEqual({ list: false, handles: 0 })
  expect(lab().orders()).toHaveLength(OPERATIONS)
})

it(`takes ${OPERATIONS} orders at once from ${TABS} tabs, each from two of them, once each`, async () => {
  const tabs: ChromiumTab[] = []
  for (let at = 0; at < TABS; at += 1) {
    const tab = await lab().newTab()
    await tab.evaluate(() => window.lab.open())
    tabs.push(tab)
  }
  const outcomes = await Promise.all(
    tabs.map((tab, at) =>
      tab.evaluate(
        async (at, tabs, count) => {
          const mine = Array.from({ length: count }, (_, n) => n).filter(
            n => n % tabs === at || n % tabs === (at + 1) % tabs,
          )
          const told = mine.map(async n => {
            const { client } = window.lab
            const outcome = await client.submit(`each/${n}`, { url: '/api/orders', json: { n } })
            return `${n} ${outcome.state} ${outcome.key}`
          })
          return Promise.all(told)
        },
        at,
        TABS,
        OPERATIONS,
      ),
    ),
  )
  const told = outcomes.flat()
  expect(told).toHaveLength(2 * OPERATIONS)
  expect(new Set(told).size).toBe(OPERATIONS)
  expect(new Set(told.map(line => line.split(' ')[1]))).toEqual(new Set(['succeeded']))
  expect(lab().orders()).toHaveLength(OPERATIONS)
  expect(lab().keys()).toHaveLength(OPERATIONS)
})

/** What of the page's `held` is still there after everything that nobody needs is gone. */
async function alive(tab: ChromiumTab): Promise<{ list: boolean; handles: number }> {
  await tab.evaluate(() => window.lab.client.idle())
  await tab.cdp.send('HeapProfiler.collectGarbage')
  return tab.evaluate(() => {
    const { held } = window as unknown as {
      held: { list: WeakRef<object>; handles: readonly WeakRef<object>[] }
    }
    const there = (ref: WeakRef<object>) => ref.deref() !== undefined
    return { list: there(held.list), handles: held.handles.filter(there).length }
  })
}
