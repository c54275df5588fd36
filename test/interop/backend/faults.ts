import type { Pool } from 'pg'

/** What goes wrong with one delivery. */
export const FAULTS = [
  /** The connection breaks before anything is done. */
  'lose-request',
  /** Committed, and the connection breaks when the answer should come. */
  'lose-reply',
  /** Committed, and the answer breaks off in the middle of its body. */
  'cut-body',
  /** The work takes longer than an attempt. */
  'slow',
  /** Not executed, never answered. */
  'hang',
  /** Committed, never answered. */
  'hang-after-effect',
  /** The process dies after the commit and before the answer. */
  'crash',
  /** The process dies in the middle of the transaction. */
  'crash-before-commit',
  /** The token is forgotten before it is looked for, as if it had lain too long. */
  'expire-token',
  /** Waits at the mechanism until {@link GATHERED} deliveries of the operation do, and then all go at once. */
  'gather',
] as const
export type Fault = (typeof FAULTS)[number]

/** How many make a race. */
export const GATHERED = 50

/** A request as it arrives, before its body is read. */
export interface Arrival {
  readonly route: string
  /** What the test calls it, by the header `x-operation`. */
  readonly operation: string
  readonly key: string | undefined
  readonly requestId: string | undefined
}

/** What is to go wrong with the next deliveries of an operation to a route, in this order. */
export interface Plan {
  readonly route: string
  readonly operation: string
  readonly faults: readonly Fault[]
}

// In a table, because the process may die of one.

export async function plan(pool: Pool, plans: readonly Plan[]): Promise<void> {
  const rows = plans.flatMap(({ route, operation, faults }) =>
    faults.map(fault => ({ route, operation, fault })),
  )
  await pool.query(
    `INSERT INTO faults (route, operation, fault)
     SELECT route, operation, fault FROM json_to_recordset($1)
       AS row (route text, operation text, fault text)`,
    [JSON.stringify(rows)],
  )
}

/** Writes the request down, and takes what is to go wrong with it: no two deliveries get the same. */
export async function arrive(pool: Pool, arrival: Arrival): Promise<Fault | undefined> {
  const { route, operation, key, requestId } = arrival
  const { rows } = await pool.query<{ fault: Fault }>(
    `WITH arrived AS (
       INSERT INTO deliveries (route, operation, key, request_id) VALUES ($1, $2, $3, $4)
     ), next AS (
       SELECT id FROM faults WHERE route = $1 AND operation = $2
       ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
     )
     DELETE FROM faults USING next WHERE faults.id = next.id RETURNING fault`,
    [route, operation, key, requestId],
  )
  return rows[0]?.fault
}
