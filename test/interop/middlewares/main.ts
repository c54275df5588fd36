import { createServer } from 'node:http'
import process from 'node:process'
import type { Express, Request, RequestHandler } from 'express'
import express from 'express'
import pg from 'pg'
import { breakReply, work } from '../backend/breaking.ts'
import type { Fault, Plan } from '../backend/faults.ts'
import { arrive, plan } from '../backend/faults.ts'
import { listenWhenTold } from '../servers/listen.ts'
import { expressIdempotency } from './express-idempotency.ts'
import { nodeIdempotency } from './node-idempotency.ts'

/*
 * An express server behind one of the middlewares that people deploy, in a process of its own. Its effects are rows, too,
 * but the middleware is all that keeps them single. `DATABASE_URL`, `MIDDLEWARE`, and `REDIS_URL` for those that need it.
 */

/** A middleware and how an app asks it whether it has answered already. */
export interface Middleware {
  readonly handler: RequestHandler
  readonly answered: (request: Request) => boolean
}

const { DATABASE_URL = '', MIDDLEWARE = '', REDIS_URL } = process.env
const ROUTE = 'POST /api/orders'

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 50 })
pool.on('error', error => console.error(error))

async function middleware(): Promise<Middleware> {
  switch (MIDDLEWARE) {
    case 'express-idempotency':
      return expressIdempotency()
    case 'node-idempotency-memory':
      return nodeIdempotency(undefined)
    case 'node-idempotency-redis':
      return nodeIdempotency(REDIS_URL ?? '')
    default:
      throw new Error(`No middleware is called "${MIDDLEWARE}".`)
  }
}

/** The fault that strikes a request. */
const struck = new WeakMap<object, Fault | undefined>()

function app({ handler, answered }: Middleware): Express {
  const server = express()
  // First of all: where the connection breaks before the body is read, express goes on without a word and without a
  // body, and the middleware would remember that under the key.
  server.use(express.json({ type: () => true }))
  server.post('/control/faults', async (request, response) => {
    await plan(pool, request.body as Plan[])
    response.status(204).end()
  })
  // Effects come first here, and the work after them.
  server.get('/control/idle', (_, response) => void response.status(204).end())
  server.use(async (request, response, next) => {
    const operation = request.get('x-operation') ?? ''
    const key = request.get('idempotency-key')
    const requestId = request.get('x-request-id')
    const fault = await arrive(pool, { route: ROUTE, operation, key, requestId })
    struck.set(request, fault)
    if (fault === 'lose-request') return request.socket.destroy()
    if (fault === 'hang') return
    breakReply(response, fault)
    next()
  })
  server.post('/api/orders', handler, async (request, response) => {
    if (answered(request)) return
    const { rows } = await pool.query<{ id: string }>(
      'INSERT INTO effects (route, operation, key) VALUES ($1, $2, $3) RETURNING id',
      [ROUTE, request.get('x-operation'), request.get('idempotency-key')],
    )
    await work(struck.get(request))
    response.status(201).json({ id: Number(rows[0]?.id), ...request.body })
  })
  return server
}

listenWhenTold(createServer(app(await middleware())))
