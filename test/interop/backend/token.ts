import { randomUUID } from 'node:crypto'
import type { Mechanism, Order } from './mechanism.ts'
import {
  created,
  found,
  haveEffect,
  MAX_AMOUNT,
  missing,
  notFound,
  refused,
  transaction,
} from './mechanism.ts'

const nameOf = (person: string, token: string) => `token:${JSON.stringify([person, token])}`

/** Issues a token that is good once, and for `lifetimeMs` of the query. */
export const issueToken: Mechanism = async ({ person, query }, { redis }) => {
  const token = randomUUID()
  const lifetimeMs = Number(query.get('lifetimeMs') ?? 600_000)
  await redis().set(nameOf(person, token), '1', 'PX', lifetimeMs)
  return found({ token })
}

/** Forgets a token, as its lifetime does. */
export const expireToken: Mechanism = async ({ person, token }, { redis }) => {
  await redis().del(nameOf(person, token ?? ''))
  return found({})
}

/**
 * One atomic step looks and takes: between a GET and a DEL two requests would pass. Used, expired and never issued are one
 * and the same to Redis. The token stays spent, whatever becomes of the order; that it is in the order too lets the client
 * ask what became of it.
 */
export const spendToken: Mechanism = async (asked, { pool, redis, work }) => {
  const { person, token, body } = asked
  if (!token) return missing('X-Idempotent-Token')
  if (!(await redis().getdel(nameOf(person, token)))) {
    return { status: 409, json: { code: 'token-used', title: 'Do not submit again' } }
  }
  const order = JSON.parse(body) as Order
  if (order.amount > MAX_AMOUNT) return refused()
  return transaction(pool, async client => {
    const answer = created({ id: await haveEffect(client, asked), ...order })
    await client.query('INSERT INTO token_orders (token, person, answer) VALUES ($1, $2, $3)', [
      token,
      person,
      JSON.stringify(answer.json),
    ])
    await work()
    return answer
  })
}

/** The order that a token was spent on. */
export const tokenOrder: Mechanism = async ({ person, id }, { pool }) => {
  const { rows } = await pool.query<{ answer: unknown }>(
    'SELECT answer FROM token_orders WHERE token = $1 AND person = $2',
    [id, person],
  )
  return rows[0] ? found(rows[0].answer) : notFound()
}
