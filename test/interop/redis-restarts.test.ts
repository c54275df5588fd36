import { idempotencyKey } from 'sendonce'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import type { Cell, Ended } from './cell.ts'
import { expectOnce, OPERATIONS, operationNames, play, tally } from './cell.ts'
import { rowOf, table } from './cells.ts'
import type { Backend } from './one-backend.ts'
import { oneBackend, testOf } from './one-backend.ts'
import { byKey, byTokenAsked } from './profiles.ts'
import { findProgram } from './servers/program.ts'
import type { OwnRedis } from './servers/redis.ts'
import { startRedis } from './servers/redis.ts'

const test = testOf('a Redis of its own', findProgram('redis-server'))

const RESTARTS = 5

let redis: OwnRedis | undefined
beforeAll(async () => {
  redis = await startRedis()
})
afterAll(() => redis?.stop())
const env = () => ({ REDIS_URL: redis?.url ?? '' })

/** A fifth of the operations at each restart, their replies lost, so that all need it before and after. */
async function playThrough(
  backend: Backend,
  cell: Omit<Cell, 'faults'>,
): Promise<readonly Ended[]> {
  const ended: Ended[] = []
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const operations = operationNames(OPERATIONS / RESTARTS)
    const [played] = await Promise.all([
      play(backend, { ...cell, operations, faults: [['lose-reply'], []] }),
      redis?.restart(),
    ])
    ended.push(...played)
  }
  return ended
}

function testRestarts(
  mechanism: string,
  backend: () => Backend,
  cell: Omit<Cell, 'faults'>,
  endings: readonly string[],
): void {
  test(`${mechanism}: Redis goes down ${RESTARTS} times, and no effect is doubled`, async () => {
    const began = Date.now()
    const ended = await playThrough(backend(), cell)
    console.log(table(mechanism, [rowOf('Redis down', ended, 0, Date.now() - began)]))
    expectOnce(ended)
    expect(endings).toEqual(expect.arrayContaining(Object.keys(tally(ended))))
  })
}

const json = { item: 'book', amount: 42 }

describe('the reference back end', () => {
  const backend = oneBackend('backend', env)
  testRestarts(
    'one-time token',
    backend,
    {
      profile: byTokenAsked,
      route: 'POST /api/token-orders',
      request: () => ({ url: '/api/token-orders', json }),
    },
    // Also where a token was spent by a command whose answer was lost, so that nothing was ordered by it.
    ['succeeded'],
  )
  testRestarts(
    'expiring lock',
    backend,
    {
      profile: byKey,
      route: 'POST /api/locked-orders',
      request: () => ({ url: '/api/locked-orders', json }),
    },
    ['succeeded'],
  )
})

describe('@node-idempotency/core', () => {
  const backend = oneBackend('middlewares', () => ({
    ...env(),
    MIDDLEWARE: 'node-idempotency-redis',
  }))
  testRestarts(
    'node-idempotency, Redis',
    backend,
    {
      profile: { ...idempotencyKey(), pace: { inProgressLimitMs: 1_500 } },
      route: 'POST /api/orders',
      request: () => ({ url: '/api/orders', json }),
    },
    // Where the answer could not be stored the request is in progress for a day.
    ['succeeded', 'unknown:in-progress'],
  )
})
