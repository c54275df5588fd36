import { idempotencyKey } from 'sendonce'
import { describe, inject } from 'vitest'
import type { Cell } from './cell.ts'
import { testCells } from './cells.ts'
import { oneBackend, testOf } from './one-backend.ts'

const { redisUrl } = inject('interop')

const cell: Omit<Cell, 'faults'> = {
  profile: idempotencyKey(),
  route: 'POST /api/orders',
  request: () => ({ url: '/api/orders', json: { item: 'book', amount: 42 } }),
}

/** What a middleware has to survive that keeps its answers in the memory of the process. */
const ALIVE = {
  nothing: ['succeeded'],
  'lose-request': ['succeeded'],
  'lose-reply': ['succeeded'],
  'cut-body': ['succeeded'],
  slow: ['succeeded'],
  hang: ['succeeded'],
  'hang-after-effect': ['succeeded'],
} as const

describe('express-idempotency', () => {
  const backend = oneBackend('middlewares', () => ({ MIDDLEWARE: 'express-idempotency' }))
  testCells('express-idempotency', backend, cell, ALIVE)
})

describe('@node-idempotency/core in memory', () => {
  const backend = oneBackend('middlewares', () => ({ MIDDLEWARE: 'node-idempotency-memory' }))
  testCells('node-idempotency, memory', backend, cell, ALIVE)
})

describe('@node-idempotency/core on Redis', () => {
  const test = testOf('Redis', redisUrl)
  const backend = oneBackend('middlewares', () => ({ MIDDLEWARE: 'node-idempotency-redis' }))
  // A request that the server died of is in progress for a day, and nobody can know.
  const crashed = ['succeeded', 'unknown:in-progress']
  testCells(
    'node-idempotency, Redis',
    backend,
    { ...cell, profile: { ...cell.profile, pace: { inProgressLimitMs: 1_500 } } },
    { ...ALIVE, crash: crashed, 'crash-before-commit': crashed },
    test,
  )
})
