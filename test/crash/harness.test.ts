import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { describe, expect, it } from 'vitest'
import type { OperationRecord } from '../../src/record.ts'
import { createIndexedDbStore } from '../../src/store/indexed-db.ts'
import type { OperationStore } from '../../src/store/store.ts'
import type { Invariant } from '../support/invariants.ts'
import { CALM_TURNS } from '../support/world/world.ts'
import type { OrderFaultName } from './faults.ts'
import { strike } from './faults.ts'
import { HIDE, play } from './interrupt.ts'
import type { ShopOptions, Wrong } from './shop.ts'
import { Shop } from './shop.ts'

/** What becomes of an operation that nothing interrupts: how it ends, the orders, and the requests that arrive. */
const ENDS: Readonly<
  Record<OrderFaultName, readonly [ended: string, orders: 0 | 1, requests: number]>
> = {
  '202': ['succeeded', 1, 2],
  '307': ['succeeded', 1, 3],
  '401': ['paused: unauthorized', 0, 1],
  '403': ['paused: unauthorized', 0, 1],
  '408': ['succeeded', 1, 2],
  '413': ['refused', 0, 1],
  '422': ['refused', 0, 1],
  '422 stored': ['refused', 0, 1],
  '429': ['succeeded', 1, 2],
  '500': ['succeeded', 1, 2],
  nothing: ['succeeded', 1, 1],
  'lose-request': ['succeeded', 1, 2],
  'lose-reply': ['succeeded', 1, 2],
  'lose-reply twice': ['succeeded', 1, 3],
  'cut-body': ['succeeded', 1, 2],
  'stall-body': ['succeeded', 1, 2],
  slow: ['succeeded', 1, 1],
  'slow-reply': ['succeeded', 1, 1],
  'too slow': ['succeeded', 1, 3],
  'hang-up': ['succeeded', 1, 3],
  hang: ['succeeded', 1, 2],
  'hang-after-effect': ['succeeded', 1, 2],
  'reset-reused': ['succeeded', 1, 3],
  'sign-in': ['succeeded', 1, 2],
  'captive-portal': ['succeeded', 1, 2],
  opaque: ['succeeded', 1, 2],
  '401 after a lost reply': ['unknown: refused-later', 1, 2],
  '404 after a lost reply': ['unknown: refused-later', 1, 2],
  '409 with evidence': ['succeeded', 1, 2],
  '409 bare': ['succeeded', 1, 2],
  '409 bare after a lost reply': ['succeeded', 1, 3],
  '429 with Retry-After': ['succeeded', 1, 2],
  '500 after the effect': ['succeeded', 1, 2],
  '503 with Retry-After': ['succeeded', 1, 2],
  '503 with Retry-After of 0': ['succeeded', 1, 2],
  '503 with Retry-After of 10^9': ['unknown: deadline', 0, 1],
  'network down': ['succeeded', 1, 1],
}

it.each(Object.entries(ENDS))(
  'where nothing interrupts it, %s ends as it should',
  async (fault, end) => {
    const plan = { fault: fault as OrderFaultName, tabs: 1, interruption: HIDE }
    const { ended, orders, requests, violations } = await play(plan)
    expect(violations).toEqual([])
    expect([ended, orders, requests]).toEqual(end)
  },
)

it.each(['in memory', 'on IndexedDB'])(
  'code comes to rest in the turns it is given: %s',
  async where => {
    const traceIn = async (calmTurns: number) => {
      globalThis.indexedDB = new IDBFactory()
      const openStore = () => createIndexedDbStore('strict')
      const shop = () => ({ ...(where === 'on IndexedDB' && { openStore }), calmTurns })
      const { trace } = await play({ fault: 'cut-body', tabs: 3, interruption: HIDE, shop })
      return trace
    }
    expect(await traceIn(2)).toEqual(await traceIn(2 * CALM_TURNS))
  },
)

/** Two tabs submit the same, one after the other, and the page of the second is loaded again. */
async function violationsOf(
  fault: OrderFaultName,
  options: ShopOptions,
): Promise<readonly Invariant[]> {
  const shop = new Shop(options)
  strike(fault, shop.mock, shop.world)
  const [first, second] = [shop.tab(), shop.tab()]
  first.submit()
  await shop.world.settle()
  second.submit()
  await shop.world.settle()
  shop.reload(second).submit()
  await shop.world.settle()
  await shop.close()
  return [...new Set(shop.witness.violations.map(({ invariant }) => invariant))]
}

/** A store that lets the client see something else than what is there. */
const seeing =
  (look: (old: unknown) => unknown) =>
  (store: OperationStore): OperationStore => ({
    ...store,
    change: (key, decide) => store.change(key, old => decide(look(old))),
  })

const isSettled = (stored: unknown): boolean =>
  ['succeeded', 'refused'].includes((stored as OperationRecord | undefined)?.phase?.is ?? '')

/** Answers at once, and commits when the client has gone on. */
function early(store: OperationStore): OperationStore {
  return {
    ...store,
    change: async (key, decide) => {
      const { result } = decide(undefined)
      store.change(key, decide).catch(() => {})
      return result
    },
  }
}

/** Shows every record as it was when it was first seen. */
function stale(store: OperationStore): OperationStore {
  let first: unknown
  return seeing(old => {
    first ??= old
    return first
  })(store)
}

const fetching =
  (change: (request: Request, n: number) => Request): NonNullable<Wrong['fetch']> =>
  fetch => {
    let n = 0
    return (input, init) => {
      n += 1
      return fetch(change(new Request(input, init), n))
    }
  }

function onceMore(): Wrong {
  let again = (): unknown => undefined
  return {
    fetch: fetch => (input, init) => {
      const request = new Request(input, init)
      again = () => fetch(request.clone()).catch(() => {})
      return fetch(request.clone())
    },
    store: store => ({
      ...store,
      change: async (key, decide) => {
        let ends = false
        const result = await store.change(key, old => {
          const change = decide(old)
          ends = 'keep' in change && isSettled(change.keep)
          return change
        })
        if (ends) again()
        return result
      },
    }),
  }
}

const WRONG: readonly {
  readonly client: string
  readonly fault: OrderFaultName
  readonly by: Invariant
  readonly wrong: Wrong
}[] = [
  {
    client: 'one that mints a key per attempt',
    fault: 'lose-reply',
    by: 'write-ahead',
    wrong: {
      fetch: fetching((request, n) => {
        request.headers.set('idempotency-key', `"key-of-attempt-number-${n}"`)
        return request
      }),
    },
  },
  {
    client: 'one that sends before the commit',
    fault: 'nothing',
    by: 'write-ahead',
    wrong: { store: early },
  },
  {
    client: 'one that sends other headers on the second attempt',
    fault: 'lose-reply',
    by: 'same-bytes',
    wrong: {
      fetch: fetching((request, n) => {
        request.headers.set('x-attempt', String(n))
        return request
      }),
    },
  },
  {
    client: 'one that never sees a record',
    fault: 'lose-reply',
    by: 'key-rotation',
    wrong: { store: seeing(() => undefined) },
  },
  {
    client: 'one that does not see what is settled',
    fault: 'nothing',
    by: 'key-rotation',
    wrong: { store: seeing(old => (isSettled(old) ? undefined : old)) },
  },
  {
    client: 'one that goes by what it saw first',
    fault: 'lose-reply',
    by: 'no-record-lost',
    wrong: { store: stale },
  },
  {
    client: 'one that takes a success for unknown',
    fault: 'nothing',
    by: 'settled-stays',
    wrong: {
      store: seeing(old =>
        isSettled(old)
          ? { ...(old as OperationRecord), phase: { is: 'unknown', reason: 'interrupted' } }
          : old,
      ),
    },
  },
  {
    client: 'one that sends once more when it has written the end',
    fault: 'nothing',
    by: 'nothing-after-the-end',
    wrong: onceMore(),
  },
  {
    client: 'one that makes up a success',
    fault: 'nothing',
    by: 'truth',
    wrong: { fetch: () => async () => Response.json({ id: 'order-1' }, { status: 201 }) },
  },
  {
    client: 'one whose calls do not end',
    fault: 'nothing',
    by: 'ends',
    wrong: { store: store => ({ ...store, change: () => new Promise(() => {}) }) },
  },
]

describe('a wrong client is caught', () => {
  it('(the right one is not)', async () => {
    for (const fault of ['nothing', 'lose-reply', '422'] as const) {
      expect(await violationsOf(fault, {})).toEqual([])
    }
  })

  it.each(WRONG)('$client, by $by', async ({ fault, by, wrong }) => {
    expect(await violationsOf(fault, { wrong })).toContain(by)
  })

  it('and so is a server that forgets the key, by one-effect', async () => {
    expect(await violationsOf('lose-reply', { keyTtlMs: 1 })).toContain('one-effect')
  })
})
