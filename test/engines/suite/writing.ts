import { describe, expect, it } from 'vitest'
import type { Browser } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'

declare global {
  interface Window {
    /** What happened, in order. */
    course: string[]
  }
}

export function writesAhead(lab: () => Lab<Browser>): void {
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
        // The browser decides when to commit, and so can fail to.
        IDBTransaction.prototype.commit = () => {}
        const { add } = IDBObjectStore.prototype
        IDBObjectStore.prototype.add = function (...given: Parameters<typeof add>) {
          const request = Reflect.apply(add, this, given)
          request.addEventListener('success', () => this.transaction.abort())
          return request
        }
        return window.lab.submit()
      })
      expect(outcome).toEqual({ state: 'rejected', code: 'storage' })
      expect(lab().arrivals()).toEqual([])
    })
  })
}
