import { expect, it } from 'vitest'
import type { Browser } from '../../browser/driver/driver.ts'
import type { Lab } from '../../browser/lab.ts'

declare global {
  interface Window {
    /** What the database was asked of each operation, and how it ended, in order. */
    asked: Record<string, string[]>
  }
}

const RUNS = process.env.LONG ? 100 : 20

/** The short way of a claim: an `add` that is committed at once, and looks only if something is there. */
export function claimsInOneStep(lab: () => Lab<Browser>): void {
  it('lets one of two tabs take a name by add and commit, and the other find it taken', async () => {
    const tabs = [await lab().newTab(), await lab().newTab()]
    for (const tab of tabs) {
      await tab.evaluate(() => {
        window.lab.open()
        return window.lab.client.unsettled()
      })
      await tab.evaluate(takeDownTransactions)
    }
    const turns = { first: 0, second: 0 }
    for (let run = 1; run <= RUNS; run++) {
      const asked = await Promise.all(
        tabs.map(tab =>
          tab.evaluate(async operation => {
            const { submit } = window.lab.client
            const outcome = await submit(operation, { url: '/api/orders', json: { operation } })
            return { asked: window.asked[operation]?.slice(0, 5), state: outcome.state }
          }, `race/${run}`),
        ),
      )
      expect(asked.map(({ state }) => state)).toEqual(['succeeded', 'succeeded'])
      const won = asked.findIndex(({ asked }) => asked?.[2] === 'complete')
      expect(asked[won]?.asked?.slice(0, 3)).toEqual(['add', 'commit', 'complete'])
      expect(asked[1 - won]?.asked).toEqual(['add', 'commit', 'ConstraintError', 'get', 'complete'])
      turns[won === 0 ? 'first' : 'second'] += 1
      expect(lab().orders()).toHaveLength(run)
      expect(lab().arrivals()).toHaveLength(run)
    }
    console.log(`Two tabs, one name, ${RUNS} times: the first took it ${turns.first} times.`)
  })
}

/** Runs in the page. */
function takeDownTransactions(): void {
  const { add, get } = IDBObjectStore.prototype
  const { commit } = IDBTransaction.prototype
  const operations = new WeakMap<IDBTransaction, string[]>()
  window.asked = {}
  const follow = (transaction: IDBTransaction, key: unknown, what: string) => {
    const [, , operation = ''] = key as readonly string[]
    window.asked[operation] ??= []
    const asked = window.asked[operation] ?? []
    asked.push(what)
    operations.set(transaction, asked)
    transaction.addEventListener('complete', () => asked.push('complete'))
    return asked
  }
  IDBObjectStore.prototype.add = function (...given: Parameters<typeof add>) {
    const asked = follow(this.transaction, given[1], 'add')
    const request = Reflect.apply(add, this, given)
    request.addEventListener('error', () => asked.push(String(request.error?.name)))
    return request
  }
  IDBObjectStore.prototype.get = function (...given: Parameters<typeof get>) {
    follow(this.transaction, given[0], 'get')
    return Reflect.apply(get, this, given)
  }
  IDBTransaction.prototype.commit = function () {
    operations.get(this)?.push('commit')
    Reflect.apply(commit, this, [])
  }
}
