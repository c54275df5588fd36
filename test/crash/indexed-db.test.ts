import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { createIndexedDbStore } from '../../src/store/indexed-db.ts'
import type { FaultName } from './faults.ts'
import { IMPORTANT_FAULTS } from './faults.ts'
import { FREEZE, HIDE, KILL_AND_RESUME, KILL_AND_SUBMIT, strikeEverywhere } from './interrupt.ts'
import type { ShopOptions } from './shop.ts'

/** The store of the product, on a database of its own for each run. */
function onIndexedDb(): ShopOptions {
  globalThis.indexedDB = new IDBFactory()
  return { openStore: () => createIndexedDbStore('strict') }
}

const faults: readonly FaultName[] = process.env.LONG ? IMPORTANT_FAULTS : ['lose-reply']
const plans = faults.flatMap(fault =>
  [KILL_AND_RESUME, KILL_AND_SUBMIT, FREEZE, HIDE].map(interruption => ({
    fault,
    interruption,
    shop: onIndexedDb,
    where: 'on IndexedDB',
    name: Object.values(interruption).join(' and '),
  })),
)

it.each(plans)('$fault, and at every point: $name', async plan => {
  expect(await strikeEverywhere({ ...plan, tabs: 1 })).toEqual([])
})

it('lose-reply, and one of two tabs is killed at every third point', async () => {
  const plan = { fault: 'lose-reply', tabs: 2, interruption: KILL_AND_RESUME } as const
  expect(
    await strikeEverywhere(
      { ...plan, shop: onIndexedDb, where: 'on IndexedDB' },
      { every: 3, first: 0 },
    ),
  ).toEqual([])
})
