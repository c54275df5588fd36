import process from 'node:process'
import pg from 'pg'
import { afterAll, beforeAll, inject, it } from 'vitest'
import type { Fault, Plan } from './backend/faults.ts'
import type { Entry } from './build.ts'
import { supervise } from './servers/process.ts'
import { ready } from './servers/program.ts'
import type { Servers } from './servers/servers.ts'

/** A server under test, in a process of its own, and the database in which its effects are counted. */
export interface Backend {
  readonly port: number
  readonly origin: string
  /** How often it died. */
  readonly deaths: () => number
  /** What is to go wrong with the first deliveries of each of these operations to a route. */
  breaks(
    operations: readonly string[],
    route: string,
    faults: readonly (readonly Fault[])[],
  ): Promise<void>
  /** How many effects each operation has had, counted in SQL. */
  effects(operations: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The different values that a column has in the deliveries of each operation. */
  delivered(
    operations: readonly string[],
    column: 'key' | 'request_id',
  ): Promise<ReadonlyMap<string, readonly (string | null)[]>>
  query<Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  stop(): Promise<void>
}

/** One server for the tests of a file: call it once, at the top, and the returned function in the tests. */
export function oneBackend(
  entry: Exclude<Entry, 'embedded'>,
  env: () => Readonly<Record<string, string>> = () => ({}),
): () => Backend {
  let backend: Backend
  beforeAll(async () => {
    backend = await startBackend(entry, inject('interop'), env())
  })
  afterAll(() => backend?.stop())
  return () => backend
}

/** Starts a server on those of a database and a Redis. */
export async function startBackend(
  entry: Exclude<Entry, 'embedded'>,
  { databaseUrl, redisUrl }: Servers,
  env: Readonly<Record<string, string>> = {},
): Promise<Backend> {
  const urls = { DATABASE_URL: databaseUrl, ...(redisUrl && { REDIS_URL: redisUrl }) }
  const server = await supervise(entry, { ...urls, ...env })
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })

  const query: Backend['query'] = async (sql, values = []) => {
    const { rows } = await pool.query(sql, [...values])
    return rows
  }

  return {
    port: server.port,
    origin: `http://127.0.0.1:${server.port}`,
    deaths: () => server.deaths,
    query,
    async breaks(operations, route, faults) {
      if (faults.flat().some(fault => fault.startsWith('crash'))) server.expectDeaths()
      const plans: Plan[] = operations.map((operation, at) => ({
        route,
        operation,
        faults: faults[at % faults.length] ?? [],
      }))
      const url = `http://127.0.0.1:${server.port}/control/faults`
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(plans) })
      if (!response.ok) throw new Error(await response.text())
    },
    async effects(operations) {
      // What nobody waits for any more may have an effect yet.
      await ready(entry, () => fetch(`http://127.0.0.1:${server.port}/control/idle`))
      const rows = await query<{ operation: string; count: number }>(
        'SELECT operation, count(*)::int FROM effects WHERE operation = ANY($1) GROUP BY operation',
        [operations],
      )
      return new Map(rows.map(({ operation, count }) => [operation, count]))
    },
    async delivered(operations, column) {
      const rows = await query<{ operation: string; values: (string | null)[] }>(
        `SELECT operation, array_agg(DISTINCT ${column}) AS values FROM deliveries
         WHERE operation = ANY($1) AND route LIKE 'POST %' GROUP BY operation`,
        [operations],
      )
      return new Map(rows.map(({ operation, values }) => [operation, values]))
    },
    async stop() {
      await server.stop()
      await pool.end()
    },
  }
}

/** `it` for tests that need a server: skipped by name where it is not there, but not in CI. */
export function testOf(server: string, url: string | undefined): typeof it | typeof it.skip {
  if (url) return it
  if (!process.env.CI) return it.skip
  throw new Error(`In CI nothing is skipped: install and start ${server}.`)
}
