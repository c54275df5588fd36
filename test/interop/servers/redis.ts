import { Redis } from 'ioredis'
import type { Started } from './postgres.ts'
import type { Program } from './program.ts'
import { findProgram, freePort, newFolder, ready, startProgram } from './program.ts'

/** A Redis of this test, that it may take down. */
export interface OwnRedis extends Started {
  /** Killed, and started again on the same port with all that it had acknowledged. */
  restart(): Promise<void>
}

/**
 * Starts a Redis; undefined where none is installed. It writes every command to disk before it acknowledges it, so that a
 * restart forgets nothing: neither tokens nor locks.
 */
export async function startRedis(): Promise<OwnRedis | undefined> {
  const file = findProgram('redis-server')
  if (!file) return undefined
  const folder = newFolder('redis')
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder.path,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])

  const start = async (): Promise<Program> => {
    const program = startProgram(file, args)
    await ready('Redis', () => pings(url))
    return program
  }
  let program = await start()
  return {
    url,
    async restart() {
      await program.stop('SIGKILL')
      program = await start()
    },
    async stop() {
      await program.stop('SIGTERM')
      folder.remove()
    },
  }
}

/** Rejects where no Redis answers, and while one still reads its log. */
export async function pings(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
  // Said by the rejection too.
  redis.on('error', () => {})
  try {
    await redis.connect()
    await redis.ping()
  } finally {
    redis.disconnect()
  }
}
