import process from 'node:process'
import pg from 'pg'
import { migrate } from '../backend/schema.ts'
import { buildEntries } from '../build.ts'
import { answers, startPostgres } from './postgres.ts'
import { supervise } from './process.ts'
import { pings, startRedis } from './redis.ts'

/** The servers that the tests of test/interop run on. */
export interface Servers {
  readonly databaseUrl: string
  /** `embedded`: PGlite, which runs one transaction after another, so that nothing can race. */
  readonly database: 'postgres' | 'embedded'
  /** Undefined where there is no Redis. */
  readonly redisUrl: string | undefined
}

type Stop = () => Promise<unknown>

/** As `DATABASE_URL` or `REDIS_URL`: as if nothing were installed. */
const NONE = 'none'

/**
 * Builds the programs, and takes the servers that `DATABASE_URL` and `REDIS_URL` name, else starts those that are
 * installed, else PGlite, and does without Redis. All stand on the loopback; what was started here is stopped by `stop`.
 */
export async function startServers(): Promise<{ servers: Servers; stop: () => Promise<void> }> {
  const stops: Stop[] = []
  const stop = async () => {
    for (const each of stops.reverse()) await each()
  }
  try {
    await buildEntries()
    const redisUrl = await findRedis(stops)
    const { url, database } = await findDatabase(stops)
    const databaseUrl = await ownSchema(url, database, stops)
    return { servers: { databaseUrl, database, redisUrl }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function findRedis(stops: Stop[]): Promise<string | undefined> {
  const given = process.env.REDIS_URL
  if (given === NONE) return undefined
  if (given) {
    await pings(given)
    return given
  }
  const started = await startRedis()
  if (started) stops.push(() => started.stop())
  return started?.url
}

async function findDatabase(stops: Stop[]): Promise<Pick<Servers, 'database'> & { url: string }> {
  const given = process.env.DATABASE_URL
  if (given && given !== NONE) {
    await answers(given)
    return { url: given, database: 'postgres' }
  }
  const started = given ? undefined : await startPostgres()
  if (started) {
    stops.push(() => started.stop())
    return { url: started.url, database: 'postgres' }
  }
  const embedded = await supervise('embedded', {})
  stops.push(() => embedded.stop())
  return { url: `postgres://postgres@127.0.0.1:${embedded.port}/postgres`, database: 'embedded' }
}

/** Tables of this run only: the database may be somebody's, and two runs may use it at once. */
async function ownSchema(
  url: string,
  database: Servers['database'],
  stops: Stop[],
): Promise<string> {
  const name = `sendonce_${process.pid}_${Date.now()}`
  const own = new URL(url)
  // PGlite has one session, which is nobody else's.
  if (database === 'postgres') own.searchParams.set('options', `-c search_path=${name}`)
  const client = new pg.Client({ connectionString: own.href })
  await client.connect()
  if (database === 'postgres') {
    await client.query(`CREATE SCHEMA ${name}`)
    stops.push(async () => {
      const last = new pg.Client({ connectionString: url })
      await last.connect()
      await last.query(`DROP SCHEMA ${name} CASCADE`)
      await last.end()
    })
  }
  await migrate(client)
  await client.end()
  return own.href
}
