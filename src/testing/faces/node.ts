import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { CorsOptions } from '../cors.ts'
import { corsHeaders } from '../cors.ts'
import type { Answer, Backend, Ending, Head } from '../exchange.ts'
import { exchange } from '../exchange.ts'
import { readStatic } from './static.ts'

/** Where the server listens, and to whom. */
export interface ListenOptions {
  /** The port. @default 0, a free one */
  readonly port?: number
  /** The address. @default '127.0.0.1' */
  readonly host?: string
  /** Lets pages of other origins call it, with credentials; `true`: of any, with all headers. @default false */
  readonly cors?: boolean | CorsOptions
  /** URL path to folder, such as `{ '/': 'dist' }`. The longest path that fits is looked in. */
  readonly static?: Readonly<Record<string, string>>
  /** Sends the files with `Cache-Control: no-store`; such pages may stay out of the back-forward cache. @default false */
  readonly noStore?: boolean
}

/** A server that listens. */
export interface Listening {
  /** Such as `http://127.0.0.1:49152`. */
  readonly origin: string
  /** The one that was asked for, or found free. */
  readonly port: number
  /** Breaks what is open, and resolves when the port is free. */
  close(): Promise<void>
}

/** Longer than a test: a connection closed for being idle makes browsers resend, and counts would depend on luck. */
const KEEP_ALIVE_MS = 120_000

/** The server, by its `backend`, on a real port, with real faults: connections break, bodies end too early. Node only. */
export async function listen(
  server: { readonly backend: Backend },
  options: ListenOptions = {},
): Promise<Listening> {
  // Not an import: bundlers of pages that use the rest of this module would warn of it.
  const { createServer } = process.getBuiltinModule('node:http')
  const { backend } = server
  const used = new WeakSet<object>()

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const head = headOf(request, used.has(request.socket))
    used.add(request.socket)
    const { pathname } = new URL(head.url)
    if (options.cors) allow(response, head, options.cors === true ? {} : options.cors)
    if (options.cors && head.method === 'OPTIONS') return response.writeHead(204).end()
    if (!backend.serves(pathname)) {
      const file = await readStatic(options.static ?? {}, pathname)
      const caching = options.noStore ? 'no-store' : 'no-cache'
      if (file) {
        response.writeHead(200, { 'content-type': file.type, 'cache-control': caching })
        return response.end(file.bytes)
      }
    }
    const { released } = backend
    const ending = await exchange(backend, head, () => bytesOf(request))
    finish(ending, request, response)
    if (ending.is === 'hang' || ending.is === 'stall') {
      await released
      request.socket.destroy()
    }
  }

  const listener: Server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => {
      // A client that goes away in the middle of its body; there is nobody left to tell.
      answer(request, response).catch(() => request.socket.destroy())
    },
  )
  const { host = '127.0.0.1', port = 0 } = options
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(port, host, resolve)
  })
  const address = listener.address()
  const bound = typeof address === 'object' && address ? address.port : port
  return {
    origin: `http://${host}:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve, reject) => {
        listener.close(error => (error ? reject(error) : resolve()))
        listener.closeAllConnections()
      }),
  }
}

function headOf(request: IncomingMessage, reused: boolean): Head {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  return {
    method: request.method ?? 'GET',
    url: `http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`,
    headers: Object.fromEntries(headers),
    reused,
  }
}

async function bytesOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function finish(ending: Ending, request: IncomingMessage, response: ServerResponse): void {
  switch (ending.is) {
    case 'answer':
      write(response, ending.answer).end(ending.answer.body)
      return
    case 'cut':
      writeHalf(response, ending.answer, () => request.socket.destroy())
      return
    case 'stall':
      writeHalf(response, ending.answer, () => {})
      return
    case 'opaque':
      for (const name of response.getHeaderNames()) response.removeHeader(name)
      write(response, ending.answer).end(ending.answer.body)
      return
    case 'reset':
      request.socket.resetAndDestroy()
      return
    case 'lost':
      request.socket.destroy()
      return
    case 'hang':
      return
  }
}

function write(response: ServerResponse, { status, headers }: Answer): ServerResponse {
  return response.writeHead(status, { ...headers })
}

function writeHalf(response: ServerResponse, answer: Answer, then: () => void): void {
  const bytes = new TextEncoder().encode(answer.body)
  response.setHeader('content-length', bytes.length)
  write(response, answer).write(bytes.subarray(0, bytes.length >> 1), then)
}

function allow(response: ServerResponse, { headers }: Head, options: CorsOptions): void {
  const allowed = corsHeaders(options, headers.origin, headers['access-control-request-headers'])
  for (const [name, value] of Object.entries(allowed)) response.setHeader(name, value)
}
