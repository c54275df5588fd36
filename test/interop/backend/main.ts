import { createServer } from 'node:http'
import process from 'node:process'
import { Redis } from 'ioredis'
import pg from 'pg'
import { listenWhenTold } from '../servers/listen.ts'
import { backend } from './server.ts'

/*
 * The reference back end in a process of its own, so that it can be killed between an effect and its answer.
 * `DATABASE_URL`; `REDIS_URL` and `PAGES`, a folder to serve, if there are any.
 */

const { DATABASE_URL = '', REDIS_URL, PAGES } = process.env

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 50 })
pool.on('error', error => console.error(error))

const redis =
  REDIS_URL &&
  new Redis(REDIS_URL, {
    // A command that was under way when the connection broke may have been obeyed. Sent again, a GETDEL would find
    // nothing, and a token that was good would be taken for one that was used.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: () => 20,
  })
// It is away: its commands say so.
if (redis) redis.on('error', () => {})

listenWhenTold(createServer(backend({ pool, redis: redis || undefined, pages: PAGES })))
