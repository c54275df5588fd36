import { inject } from 'vitest'
import { testCells } from './cells.ts'
import { oneBackend, testOf } from './one-backend.ts'
import { byKey } from './profiles.ts'

const { redisUrl } = inject('interop')
const test = testOf('Redis', redisUrl)
const backend = oneBackend('backend')

// A crash leaves the lock behind, and it runs out; slow work outlives it, and the unique index holds.
testCells(
  'expiring lock',
  backend,
  {
    profile: byKey,
    route: 'POST /api/locked-orders',
    request: () => ({ url: '/api/locked-orders', json: { item: 'book', amount: 42 } }),
  },
  {
    nothing: ['succeeded'],
    'lose-request': ['succeeded'],
    'lose-reply': ['succeeded'],
    'cut-body': ['succeeded'],
    slow: ['succeeded'],
    hang: ['succeeded'],
    'hang-after-effect': ['succeeded'],
    crash: ['succeeded'],
    'crash-before-commit': ['succeeded'],
  },
  test,
)
