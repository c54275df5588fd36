import { randomUUID } from 'node:crypto'
import type { Outcome } from 'sendonce'
import { expect, inject } from 'vitest'
import { GATHERED } from './backend/faults.ts'
import type { Cell } from './cell.ts'
import { operationNames, submitAlone } from './cell.ts'
import { oneBackend, testOf } from './one-backend.ts'
import { byKey, byNumber, byTokenAsked, cancelling, paying } from './profiles.ts'

/* PGlite runs one transaction after another: nothing races there. */
const { databaseUrl, database, redisUrl } = inject('interop')
const onPostgres = testOf('PostgreSQL', database === 'postgres' ? databaseUrl : undefined)
const onBoth = testOf('PostgreSQL and Redis', database === 'postgres' ? redisUrl : undefined)
const backend = oneBackend('backend')

const CLIENTS = GATHERED
const json = { item: 'book', amount: 42 }

interface Race {
  readonly outcomes: readonly Outcome<unknown>[]
  readonly effects: number
}

/** The same by all clients at once, each in a browser of its own. */
async function race(cellOf: (client: number) => Omit<Cell, 'faults'>): Promise<Race> {
  const [operation = ''] = operationNames(1)
  const cells = Array.from({ length: CLIENTS }, (_, at) => cellOf(at))
  for (const route of new Set(cells.map(cell => cell.route))) {
    await backend().breaks([operation], route, [
      cells.filter(cell => cell.route === route).map(() => 'gather'),
    ])
  }
  const outcomes = await Promise.all(cells.map(cell => submitAlone(backend(), cell, operation)))
  return { outcomes, effects: (await backend().effects([operation])).get(operation) ?? 0 }
}

const succeeded = (outcomes: readonly Outcome<unknown>[]) =>
  outcomes.filter(outcome => outcome.state === 'succeeded')
const idsOf = (outcomes: readonly Outcome<unknown>[]) =>
  new Set(succeeded(outcomes).map(({ data }) => (data as { id: unknown }).id))

onPostgres('gives one order to 50 clients with one key', async () => {
  const key = randomUUID()
  const { outcomes, effects } = await race(() => ({
    profile: byKey,
    route: 'POST /api/orders',
    request: () => ({ url: '/api/orders', json, key }),
  }))
  expect(effects).toBe(1)
  expect(succeeded(outcomes)).toHaveLength(CLIENTS)
  expect(idsOf(outcomes).size).toBe(1)
})

onBoth('gives one order to 50 clients with one token, who ask for it', async () => {
  const issued = await fetch(`${backend().origin}/api/token`)
  const { token } = (await issued.json()) as { token: string }
  const { outcomes, effects } = await race(() => ({
    profile: byTokenAsked,
    token,
    route: 'POST /api/token-orders',
    request: () => ({ url: '/api/token-orders', json }),
  }))
  expect(effects).toBe(1)
  expect(idsOf(outcomes).size).toBe(1)
  expect(succeeded(outcomes)).toHaveLength(CLIENTS)
})

onPostgres('gives one order to 50 clients of one person with one number', async () => {
  const key = `order_${randomUUID().slice(0, 8)}`
  const { outcomes, effects } = await race(() => ({
    profile: byNumber,
    route: 'POST /api/numbered-orders',
    request: () => ({ url: '/api/numbered-orders', json, key }),
  }))
  expect(effects).toBe(1)
  expect(succeeded(outcomes)).toHaveLength(CLIENTS)
  expect(idsOf(outcomes).size).toBe(1)
})

onPostgres('gives one number to one of 50 persons, and refuses the others', async () => {
  const key = `order_${randomUUID().slice(0, 8)}`
  const { outcomes, effects } = await race(at => ({
    profile: byNumber,
    person: () => `person-${at}`,
    route: 'POST /api/numbered-orders',
    request: () => ({ url: '/api/numbered-orders', json, key }),
  }))
  expect(effects).toBe(1)
  expect(succeeded(outcomes)).toHaveLength(1)
  expect(outcomes.filter(({ state }) => state === 'refused')).toHaveLength(CLIENTS - 1)
})

onPostgres('moves a payment of one version once, to what half of 50 clients want', async () => {
  const id = randomUUID()
  await fetch(`${backend().origin}/api/payments/${id}`, { method: 'PUT' })
  const moves = [
    { move: 'pay', to: 'PAID', profile: paying },
    { move: 'cancel', to: 'CANCELLED', profile: cancelling },
  ] as const
  const wanted = (at: number) => moves[at % 2 === 0 ? 0 : 1]
  const { outcomes, effects } = await race(at => {
    const { move, profile } = wanted(at)
    return {
      profile,
      route: `POST /api/payments/*/${move}`,
      request: () => ({ url: `/api/payments/${id}/${move}`, json: { version: 1 } }),
    }
  })
  expect(effects).toBe(1)
  const now = await fetch(`${backend().origin}/api/payments/${id}`)
  const { status } = (await now.json()) as { status: string }
  outcomes.forEach((outcome, at) => {
    expect(outcome.state).toBe(wanted(at).to === status ? 'succeeded' : 'refused')
  })
})
