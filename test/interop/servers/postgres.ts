import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import pg from 'pg'
import { findProgram, freePort, newFolder, ready, startProgram, userNamed } from './program.ts'

/** A server that was started here. */
export interface Started {
  readonly url: string
  stop(): Promise<void>
}

/** Where Debian keeps the programs of each version, none of them in `PATH`. */
const DEBIAN = '/usr/lib/postgresql'

function folders(): readonly string[] {
  if (!existsSync(DEBIAN)) return []
  const versions = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))
  return versions.map(version => `${DEBIAN}/${version}/bin`)
}

/** Starts a PostgreSQL with nothing in it; undefined where none is installed. It need not survive the machine. */
export async function startPostgres(): Promise<Started | undefined> {
  const initdb = findProgram('initdb', folders())
  const postgres = findProgram('postgres', folders())
  if (!initdb || !postgres) return undefined
  // It refuses to be run by root.
  const user = userNamed('postgres')
  const folder = newFolder('postgres', user)
  const options = { ...user, cwd: folder.path }
  const given = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C']
  const made = spawnSync(initdb, [...given, '--no-sync', '-D', folder.path], {
    ...options,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)

  const port = await freePort()
  const settings = ['fsync=off', 'max_connections=300', `unix_socket_directories=${folder.path}`]
  const program = startProgram(
    postgres,
    [
      '-D',
      folder.path,
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      ...settings.flatMap(each => ['-c', each]),
    ],
    // SIGQUIT: at once, its own processes included.
    { ...options, lastWord: 'SIGQUIT' },
  )
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await ready('PostgreSQL', () => answers(url))
  return {
    url,
    async stop() {
      await program.stop('SIGINT')
      folder.remove()
    },
  }
}

/** Rejects where no database answers. */
export async function answers(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await client.query('SELECT 1')
  } finally {
    await client.end().catch(() => {})
  }
}
