import type { Cell } from './cell.ts'
import { testCells } from './cells.ts'
import { oneBackend } from './one-backend.ts'
import { paying } from './profiles.ts'

const backend = oneBackend('backend')

const cell: Omit<Cell, 'faults'> = {
  profile: paying,
  route: 'POST /api/payments/*/pay',
  request: operation => ({ url: `/api/payments/${operation}/pay`, json: { version: 1 } }),
  prepare: async operations => {
    const opened = operations.map(id =>
      fetch(`${backend().origin}/api/payments/${id}`, { method: 'PUT' }),
    )
    await Promise.all(opened)
  },
}

testCells('state machine', backend, cell, {
  nothing: ['succeeded'],
  'lose-request': ['succeeded'],
  'lose-reply': ['succeeded'],
  'cut-body': ['succeeded'],
  slow: ['succeeded'],
  hang: ['succeeded'],
  'hang-after-effect': ['succeeded'],
  crash: ['succeeded'],
  'crash-before-commit': ['succeeded'],
})
