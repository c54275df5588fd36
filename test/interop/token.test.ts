import { inject } from 'vitest'
import { testCells } from './cells.ts'
import { oneBackend, testOf } from './one-backend.ts'
import { byToken, byTokenAsked } from './profiles.ts'

const { redisUrl } = inject('interop')
const test = testOf('Redis', redisUrl)
const backend = oneBackend('backend')

const cell = {
  route: 'POST /api/token-orders',
  request: () => ({ url: '/api/token-orders', json: { item: 'book', amount: 42 } }),
}

// A repeat is refused and no answer kept: what was spent without an answer, nobody can know.
const SPENT = ['succeeded', 'unknown:token-spent']

testCells(
  'one-time token',
  backend,
  { ...cell, profile: byToken },
  {
    nothing: ['succeeded'],
    'lose-request': ['succeeded'],
    'lose-reply': ['unknown:token-spent'],
    'cut-body': ['succeeded'],
    slow: SPENT,
    hang: SPENT,
    'hang-after-effect': SPENT,
    crash: SPENT,
    'crash-before-commit': SPENT,
    'expire-token': ['unknown:token-spent'],
  },
  test,
)

// Where it can be asked for, and not ordered in time means never, everybody gets there.
testCells(
  'one-time token, asked for',
  backend,
  { ...cell, profile: byTokenAsked },
  {
    'lose-request': ['succeeded'],
    'lose-reply': ['succeeded'],
    'cut-body': ['succeeded'],
    slow: ['succeeded'],
    hang: ['succeeded'],
    'hang-after-effect': ['succeeded'],
    crash: ['succeeded'],
    'crash-before-commit': ['succeeded'],
    'expire-token': ['succeeded'],
  },
  test,
)
