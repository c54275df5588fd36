import { expect, it } from 'vitest'
import { operationNames, play } from './cell.ts'
import { testCells } from './cells.ts'
import { oneBackend } from './one-backend.ts'
import { byEnvelope, byKey } from './profiles.ts'

const backend = oneBackend('backend')

const cell = {
  profile: byKey,
  route: 'POST /api/orders',
  request: () => ({ url: '/api/orders', json: { item: 'book', amount: 42 } }),
}

testCells('dedupe table', backend, cell, {
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

testCells(
  'dedupe table, refused',
  backend,
  { ...cell, request: () => ({ url: '/api/orders', json: { item: 'house', amount: 100_000 } }) },
  { nothing: ['refused'], 'lose-reply': ['refused'], crash: ['refused'] },
)

testCells(
  'dedupe table, envelope',
  backend,
  {
    profile: byEnvelope,
    route: 'POST /api/enveloped-orders',
    request: () => ({ url: '/api/enveloped-orders', json: { item: 'book', amount: 42 } }),
  },
  { 'lose-reply': ['succeeded'], slow: ['succeeded'], crash: ['succeeded'] },
)

it('sends one key and one request id on all attempts', async () => {
  const operations = operationNames()
  const ended = await play(backend(), {
    ...cell,
    operations,
    faults: [['lose-request', 'lose-reply', 'cut-body']],
  })
  const keys = await backend().delivered(operations, 'key')
  const ids = await backend().delivered(operations, 'request_id')
  for (const { operation, outcome } of ended) {
    expect(outcome.attempts).toBeGreaterThan(3)
    expect(keys.get(operation)).toEqual([outcome.key])
    expect(ids.get(operation)).toHaveLength(1)
  }
})
