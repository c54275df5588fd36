import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { ClientBase, Pool } from 'pg'

/** A request, as a mechanism looks at it. */
export interface Asked {
  readonly route: string
  readonly operation: string
  /** Who is signed in. */
  readonly person: string
  readonly key: string | undefined
  readonly requestId: string | undefined
  readonly token: string | undefined
  /** What the address names: an order number, a key, a token. */
  readonly id: string
  readonly query: URLSearchParams
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What a mechanism works with. */
export interface Tools {
  readonly pool: Pool
  /** Throws {@link Unavailable} where there is none. */
  readonly redis: () => Redis
  /** What business takes, in time and risk; called in the transaction that has the effect. */
  readonly work: () => Promise<void>
}

export type Mechanism = (asked: Asked, tools: Tools) => Promise<Answer>

/** What all orders consist of. */
export interface Order {
  readonly item: string
  readonly amount: number
}

/** Above this nothing is sold: a refusal by the business. */
export const MAX_AMOUNT = 1_000

export const created = (json: unknown): Answer => ({ status: 201, json })
export const found = (json: unknown): Answer => ({ status: 200, json })
export const notFound = (): Answer => ({ status: 404, json: { code: 'not-found' } })
export const missing = (what: string): Answer => ({
  status: 400,
  json: { code: 'missing', title: `${what} is missing` },
})
export const refused = (): Answer => ({
  status: 422,
  json: { code: 'amount-too-high', title: `Nobody may spend more than ${MAX_AMOUNT}` },
})
export const inProgress = (): Answer => ({
  status: 409,
  json: { code: 'processing', title: 'A request is outstanding for this Idempotency-Key' },
})

/** Does everything or nothing. */
export async function transaction<T>(
  pool: Pool,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    broken = false
    return result
  } finally {
    // A connection in the middle of something is closed, and PostgreSQL rolls back.
    client.release(broken)
  }
}

/** What business does: one row that a test can count. Resolves with its number. */
export async function haveEffect(client: ClientBase, asked: Asked): Promise<number> {
  const { route, operation, key, token, requestId } = asked
  const { rows } = await client.query<{ id: string }>(
    'INSERT INTO effects (route, operation, key, request_id) VALUES ($1, $2, $3, $4) RETURNING id',
    [route, operation, key ?? token, requestId],
  )
  return Number(rows[0]?.id)
}

export function fingerprintOf(asked: Asked): string {
  return createHash('sha256').update(`${asked.route}\n${asked.body}`).digest('hex')
}
