import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Redis } from 'ioredis'
import type { Pool } from 'pg'
import { readStatic } from '../../../src/testing/faces/static.ts'
import { breakReply, LONGEST_MS, work } from './breaking.ts'
import { businessNumber, numberedOrder } from './business-number.ts'
import { dedupeEnvelope, dedupeRow, dedupeTable } from './dedupe-table.ts'
import type { Plan } from './faults.ts'
import { arrive, GATHERED, plan } from './faults.ts'
import { lock } from './lock.ts'
import type { Answer, Asked, Mechanism, Tools } from './mechanism.ts'
import { cancel, openPayment, pay, payment } from './state-machine.ts'
import { expireToken, issueToken, spendToken, tokenOrder } from './token.ts'

/** `METHOD /path`, `*` for the part that is the mechanism's `id`. */
const ROUTES: Readonly<Record<string, Mechanism>> = {
  'POST /api/orders': dedupeTable,
  'GET /api/orders/*': dedupeRow,
  'POST /api/enveloped-orders': dedupeEnvelope,
  'POST /api/locked-orders': lock,
  'GET /api/token': issueToken,
  'POST /api/token-orders': spendToken,
  'GET /api/token-orders/*': tokenOrder,
  'POST /api/numbered-orders': businessNumber,
  'GET /api/numbered-orders/*': numberedOrder,
  'PUT /api/payments/*': openPayment,
  'GET /api/payments/*': payment,
  'POST /api/payments/*/pay': pay,
  'POST /api/payments/*/cancel': cancel,
}

export interface Backend {
  readonly pool: Pool
  readonly redis: Redis | undefined
  /** A folder whose files are served too. */
  readonly pages: string | undefined
}

/**
 * The reference back end over HTTP. `POST /control/faults` with a list of plans says what is to go wrong, `/control/idle`
 * is answered when nothing is being worked on.
 */
export function backend({ pool, redis, pages }: Backend): RequestListener {
  /** The deliveries that are being worked on, whether or not anybody waits for them. */
  const underWay = new Set<Promise<unknown>>()

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    allow(request, response)
    if (request.method === 'OPTIONS') return response.writeHead(204).end()
    if (url.pathname === '/control/idle') {
      await Promise.allSettled(underWay)
      return response.writeHead(204).end()
    }
    if (url.pathname === '/control/faults') {
      await plan(pool, JSON.parse(await textOf(request)) as Plan[])
      return response.writeHead(204).end()
    }
    const route = routeOf(request.method ?? '', url.pathname)
    if (!route) {
      const file = pages && (await readStatic({ '/': pages }, url.pathname))
      if (!file) return send(response, { status: 404, json: { code: 'no-such-address' } })
      return response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
    }
    const serving = serve(request, response, url, route)
    underWay.add(serving)
    await serving.finally(() => underWay.delete(serving))
  }

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    { name, id, mechanism }: Route,
  ) => {
    const arrivedAt = Date.now()
    const header = (field: string) => request.headers[field]?.toString()
    const arrival = {
      route: name,
      operation: header('x-operation') ?? '',
      key: header('idempotency-key'),
      requestId: header('x-request-id'),
    }
    const fault = await arrive(pool, arrival)
    if (fault === 'lose-request') return request.socket.destroy()
    if (fault === 'hang') return
    breakReply(response, fault)

    const asked: Asked = {
      ...arrival,
      id,
      person: header('x-person') ?? 'ada',
      token: header('x-idempotent-token'),
      query: url.searchParams,
      body: await textOf(request),
    }
    const tools: Tools = {
      pool,
      redis() {
        if (!redis) throw new Error('This back end has no Redis.')
        return redis
      },
      async work() {
        await work(fault)
        if (Date.now() - arrivedAt > LONGEST_MS) throw new Error('It took too long.')
      },
    }
    if (fault === 'gather') await gather(arrival.operation)
    if (fault === 'expire-token') await expireToken(asked, tools)
    send(response, await mechanism(asked, tools))
  }

  return (request, response) => {
    answer(request, response).catch(error => {
      if (response.headersSent) return request.socket.destroy()
      // A database that is away, or went away in the middle of a command: nobody knows whether it was obeyed.
      send(response, { status: 503, json: { code: 'unavailable', detail: String(error) } })
    })
  }
}

/** Who waits for the others, by operation. */
const gathering = new Map<string, (() => void)[]>()

/** Without it the first would be done before the second had come. */
function gather(operation: string): Promise<void> {
  return new Promise(resolve => {
    const waiting = [...(gathering.get(operation) ?? []), resolve]
    gathering.set(operation, waiting)
    if (waiting.length === GATHERED) for (const go of waiting) go()
  })
}

interface Route {
  readonly name: string
  readonly id: string
  readonly mechanism: Mechanism
}

function routeOf(method: string, pathname: string): Route | undefined {
  for (const [name, mechanism] of Object.entries(ROUTES)) {
    const pattern = `^${name.replace('*', '([^/]+)')}$`
    const match = new RegExp(pattern).exec(`${method} ${pathname}`)
    if (match) return { name, id: decodeURIComponent(match[1] ?? ''), mechanism }
  }
  return undefined
}

function send(response: ServerResponse, { status, json, headers }: Answer): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
  response.end(JSON.stringify(json))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** A page of any origin may send the headers that it asks for, and read those that matter to a client. */
function allow(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-methods', 'GET, POST, PUT')
  response.setHeader(
    'access-control-allow-headers',
    request.headers['access-control-request-headers'] ?? '',
  )
  response.setHeader('access-control-expose-headers', 'idempotent-replayed, retry-after')
}
