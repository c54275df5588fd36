import 'fake-indexeddb/auto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { IDBFactory } from 'fake-indexeddb'
import { describe, expect, it } from 'vitest'
import { createClientOn } from '../../src/client.ts'
import { createIndexedDbStore } from '../../src/store/indexed-db.ts'
import type { Accusation, HouseInvariant } from '../crash/model/household.ts'
import { Household } from '../crash/model/household.ts'
import { mutate } from './apply.ts'
import type { Scenario, ScenarioName } from './scenarios.ts'
import { SCENARIOS } from './scenarios.ts'

/*
 * Each patch takes one thing out of the source, or does it wrong; the scenario shows what then goes wrong, and which
 * invariant says so. A patch is a plain unified diff, applied by its lines and not by their numbers.
 */
const MUTANTS: Readonly<Record<string, { scenario: ScenarioName; by: HouseInvariant }>> = {
  'rule-1': { scenario: 'a tab wakes between two attempts when all is over', by: 'one-effect' },
  'rule-2': { scenario: 'signed out while nobody knows, and in again', by: 'one-per-intent' },
  'rule-3': {
    scenario: 'a tab wakes before its first request while another has none of its replies',
    by: 'no-record-lost',
  },
  'rule-4': {
    scenario: 'a tab wakes with its success while another asks for the same',
    by: 'settled-stays',
  },
  'rule-5': {
    scenario: 'a server that promises nothing does not answer, and the person clicks again',
    by: 'one-effect',
  },
  'rule-6': {
    scenario: 'a tab wakes before its first request when all is over',
    by: 'nothing-after-the-end',
  },
  'rule-6-scope': {
    scenario: 'somebody else signs in right before a request leaves',
    by: 'own-scope',
  },
  'rule-9': {
    scenario: 'a second tab that was open all the time submits the same after the first succeeded',
    by: 'one-per-intent',
  },
  'key-per-attempt': { scenario: 'the reply is lost', by: 'one-per-intent' },
  'claim-in-two-transactions': {
    scenario: 'two tabs submit at once, without locks',
    by: 'one-per-intent',
  },
  'send-before-commit': { scenario: 'the reply is lost', by: 'write-ahead' },
  'record-deleted-early': {
    scenario: 'the replies of a whole turn are lost, and the person clicks again',
    by: 'one-per-intent',
  },
  'bare-409-fails': {
    scenario: 'the reply is lost, and then 409 for as long as anybody asks',
    by: 'truth',
  },
  'body-read-again': {
    scenario: 'the request is lost, and the caller changes what it holds',
    by: 'same-bytes',
  },
  'add-refused-is-taken': {
    scenario: 'two tabs submit at once, on IndexedDB',
    by: 'one-per-intent',
  },
  'rule-7': {
    scenario: 'a tab wakes with its token while another has sent its own',
    by: 'one-token',
  },
  'token-not-written': { scenario: 'the reply to a token is lost', by: 'one-token' },
  'token-before-commit': { scenario: 'the reply to a token is lost', by: 'write-ahead' },
  'fresh-token-after-lost-reply': { scenario: 'the reply to a token is lost', by: 'one-effect' },
  'spent-token-renewed': { scenario: 'the reply to a token is lost', by: 'one-effect' },
  'rule-8': {
    scenario: 'a page dies while its token is on its way, and the next one asks',
    by: 'one-token',
  },
  'window-retried': { scenario: 'the reply is lost, and a window closes', by: 'one-effect' },
  'key-after-mismatch': {
    scenario: 'the reply is lost, a proxy changes the next attempt, and the person clicks again',
    by: 'one-per-intent',
  },
  '4xx-refuses': { scenario: 'the reply is lost, and a proxy answers 404', by: 'truth' },
}

/** What a mutant may have changed. */
interface Parts {
  readonly createClientOn: typeof createClientOn
  readonly createIndexedDbStore: typeof createIndexedDbStore
}

async function play(scenario: Scenario, parts: Parts): Promise<readonly Accusation[]> {
  const { run, store, ...options } = scenario
  if (store === 'indexeddb') globalThis.indexedDB = new IDBFactory()
  const house = new Household({
    ...options,
    ...(store && { openStore: () => parts.createIndexedDbStore('strict') }),
    createClient: parts.createClientOn,
  })
  await run(house)
  await house.close()
  return house.accusations
}

describe('without a mutation', () => {
  it.each(Object.entries(SCENARIOS))('%s: nothing is found', async (_, scenario) => {
    expect(await play(scenario, { createClientOn, createIndexedDbStore })).toEqual([])
  })
})

describe('a mutant is caught', () => {
  const mutants = Object.entries(MUTANTS).map(([name, mutant]) => ({ name, ...mutant }))
  it.each(mutants)('$name, by $by', async ({ name, scenario, by }) => {
    const copy = mutate(name)
    const mutant: Parts = {
      ...(await import(join(copy, 'src/client.ts'))),
      ...(await import(join(copy, 'src/store/indexed-db.ts'))),
    }
    const found = await play(SCENARIOS[scenario], mutant)
    expect(found.map(({ invariant }) => invariant)).toContain(by)
  })

  it('each patch has its line in the table', () => {
    const patches = readdirSync(import.meta.dirname).filter(file => file.endsWith('.patch'))
    expect(patches.map(file => file.replace('.patch', '')).sort()).toEqual(
      Object.keys(MUTANTS).sort(),
    )
  })
})
