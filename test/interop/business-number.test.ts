import { testCells } from './cells.ts'
import { oneBackend } from './one-backend.ts'
import { byNumber, byNumberAsked, byNumberRejected } from './profiles.ts'

const backend = oneBackend('backend')
const route = 'POST /api/numbered-orders'
const json = { item: 'book', amount: 42 }

testCells(
  'order number',
  backend,
  {
    profile: byNumber,
    route,
    request: () => ({ url: '/api/numbered-orders', json }),
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
)

const REJECT = '/api/numbered-orders?duplicates=reject'

testCells(
  'order number, rejected',
  backend,
  {
    profile: byNumberRejected,
    route,
    request: () => ({ url: REJECT, json }),
  },
  {
    'lose-request': ['succeeded'],
    'lose-reply': ['unknown:token-spent'],
    'cut-body': ['succeeded'],
  },
)

testCells(
  'order number, rejected, asked for',
  backend,
  {
    profile: byNumberAsked,
    route,
    request: () => ({ url: REJECT, json }),
  },
  {
    'lose-reply': ['succeeded'],
    slow: ['succeeded'],
    'hang-after-effect': ['succeeded'],
    crash: ['succeeded'],
    'crash-before-commit': ['succeeded'],
  },
)
