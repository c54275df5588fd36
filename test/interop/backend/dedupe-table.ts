import type { Answer, Asked, Mechanism, Order, Tools } from './mechanism.ts'
import {
  created,
  fingerprintOf,
  found,
  haveEffect,
  inProgress,
  MAX_AMOUNT,
  missing,
  notFound,
  refused,
  transaction,
} from './mechanism.ts'

interface Row {
  readonly fingerprint: string
  readonly status: 'processing' | 'done' | 'failed'
  readonly answer: Answer
}

/**
 * A row per key under a unique index, with the first answer, in the transaction of the business write: a crash takes both
 * back or leaves both. A row that is `processing` is seen by its own transaction only; others see its advisory lock, so
 * that they need not wait for the index.
 */
export const dedupeTable: Mechanism = async (asked, { pool, work }) => {
  const { person, key, body } = asked
  if (!key) return missing('Idempotency-Key')
  const fingerprint = fingerprintOf(asked)
  return transaction(pool, async client => {
    const lock = await client.query<{ free: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS free',
      [JSON.stringify([person, key])],
    )
    if (!lock.rows[0]?.free) return inProgress()

    const taken = await client.query(
      `INSERT INTO dedupe (person, key, fingerprint, status) VALUES ($1, $2, $3, 'processing')
       ON CONFLICT DO NOTHING`,
      [person, key, fingerprint],
    )
    if (taken.rowCount === 0) {
      const { rows } = await client.query<Row>(
        'SELECT fingerprint, status, answer FROM dedupe WHERE person = $1 AND key = $2',
        [person, key],
      )
      return repeated(rows[0], fingerprint)
    }

    const order = JSON.parse(body) as Order
    const sold = order.amount <= MAX_AMOUNT
    const answer = sold ? created({ id: await haveEffect(client, asked), ...order }) : refused()
    await work()
    await client.query(
      'UPDATE dedupe SET status = $3, answer = $4 WHERE person = $1 AND key = $2',
      [person, key, sold ? 'done' : 'failed', JSON.stringify(answer)],
    )
    return answer
  })
}

/** The same under the id of the request, and answered with 200 and a code, whatever it is. */
export const dedupeEnvelope: Mechanism = async (asked, tools) => {
  const { status, json } = await dedupeTable({ ...asked, key: asked.requestId }, tools)
  if (status === 201) return found({ code: 'DONE', data: json })
  return found({ code: status === 409 ? 'PROCESSING' : 'REFUSED', data: json })
}

/** What is known of a key. No row: no such request is done, though one may be under way. */
export const dedupeRow: Mechanism = async ({ person, id }, tools) => {
  const row = await read(tools, person, id)
  return row ? replay(row) : notFound()
}

/** The answer that a key has, if it has one. */
export async function earlierAnswer(asked: Asked, tools: Tools): Promise<Answer | undefined> {
  const row = await read(tools, asked.person, asked.key ?? '')
  return row && repeated(row, fingerprintOf(asked))
}

async function read({ pool }: Tools, person: string, key: string): Promise<Row | undefined> {
  const { rows } = await pool.query<Row>(
    'SELECT fingerprint, status, answer FROM dedupe WHERE person = $1 AND key = $2',
    [person, key],
  )
  return rows[0]
}

function repeated(row: Row | undefined, fingerprint: string): Answer {
  if (!row) return inProgress()
  if (row.fingerprint === fingerprint) return replay(row)
  const title = 'Idempotency-Key is already used for another request'
  return { status: 422, json: { code: 'idempotency-mismatch', title } }
}

/** The same answer for a repeat: an error would be taken for a failure, and retried. */
function replay({ answer }: Row): Answer {
  return { ...answer, headers: { ...answer.headers, 'idempotent-replayed': 'true' } }
}
