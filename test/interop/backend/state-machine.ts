import type { Answer, Mechanism } from './mechanism.ts'
import { created, found, haveEffect, notFound, transaction } from './mechanism.ts'

interface Payment {
  readonly id: string
  readonly status: 'PENDING' | 'PAID' | 'CANCELLED'
  readonly version: number
}

/** A new payment, PENDING and of version 1. */
export const openPayment: Mechanism = async ({ id }, { pool }) => {
  const { rows } = await pool.query<Payment>(
    "INSERT INTO payments (id, status, version) VALUES ($1, 'PENDING', 1) RETURNING *",
    [id],
  )
  return created(rows[0])
}

export const payment: Mechanism = async ({ id }, { pool }) => {
  const { rows } = await pool.query<Payment>('SELECT * FROM payments WHERE id = $1', [id])
  return rows[0] ? found(rows[0]) : notFound()
}

/**
 * One statement looks at status and version and moves on. Where it finds nothing to move, the state says why: already
 * there is a success, anything else a conflict.
 */
const move =
  (to: 'PAID' | 'CANCELLED'): Mechanism =>
  async (asked, { pool, work }) => {
    const { id, body } = asked
    const { version } = JSON.parse(body) as { version: number }
    return transaction(pool, async client => {
      const moved = await client.query<Payment>(
        `UPDATE payments SET status = $3, version = version + 1
         WHERE id = $1 AND status = 'PENDING' AND version = $2 RETURNING *`,
        [id, version, to],
      )
      if (moved.rows[0]) {
        await haveEffect(client, asked)
        await work()
        return found(moved.rows[0])
      }
      const { rows } = await client.query<Payment>('SELECT * FROM payments WHERE id = $1', [id])
      const [now] = rows
      if (!now) return notFound()
      const there = now.status === to && now.version === version + 1
      return there ? found(now) : conflict(now)
    })
  }

export const pay: Mechanism = move('PAID')
export const cancel: Mechanism = move('CANCELLED')

const conflict = (now: Payment): Answer => ({
  status: 409,
  json: { code: 'version-conflict', title: `It is ${now.status}, version ${now.version}`, ...now },
})
