import type { Kind } from './agenda.ts'
import { outcomeOf } from './outcome.ts'

/** Answers a request, or rejects as `fetch` does where no answer comes. */
export type Server = (request: Request) => Promise<Response>

/** What a page's `fetch` goes through. */
export interface Line {
  connected(): boolean
  /** Resolves when this point may go on. */
  pass(kind: Kind): Promise<void>
  /** Work of the machine that takes real time, during which the world is not quiet. */
  work<T>(promise: Promise<T>): Promise<T>
  server(): Server
}

/**
 * A `fetch` of a page: `send`, `serve`, `reply`, and `body` once somebody reads it. From `serve` on the request is the
 * network's: neither an abort nor the death of its page calls it back.
 */
export function fetchOver(line: Line): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init)
    return unlessAborted(request.signal, () => exchange(request, line))
  }
}

async function exchange(request: Request, line: Line): Promise<Response> {
  await line.pass('send')
  request.signal.throwIfAborted()
  const answer = await outcomeOf(() => deliver(request, line))
  await line.pass('reply')
  if (!line.connected()) throw networkError()
  return bodyLater(answer(), request.signal, line)
}

async function deliver(request: Request, line: Line): Promise<Response> {
  if (!line.connected()) throw networkError()
  // As bytes, so that the server, which may take its time, has nothing left to read that takes real time.
  const body = request.body ? await line.work(request.arrayBuffer()) : null
  await line.pass('serve')
  const { url, method, headers, redirect, cache } = request
  return line.server()(new Request(url, { method, headers, redirect, cache, body }))
}

function bodyLater(response: Response, signal: AbortSignal, line: Line): Response {
  const { body } = response
  if (!body) return response
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal.addEventListener('abort', () => controller.error(signal.reason))
      },
      async pull(controller) {
        const rest = await outcomeOf(() => everything(body))
        await line.pass('body')
        if (!line.connected()) throw networkError()
        for (const chunk of rest()) controller.enqueue(chunk)
        controller.close()
      },
    },
    // Nothing is read, and so nothing passes, before somebody asks.
    { highWaterMark: 0 },
  )
  return like(response, new Response(stream, response))
}

/** Gives a response made by hand, and its clones, what only the network can say. */
function like({ url, redirected, type }: Response, copy: Response): Response {
  const clone = copy.clone.bind(copy)
  return Object.defineProperties(copy, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
    clone: { value: () => like(copy, clone()) },
  })
}

async function everything(body: ReadableStream<Uint8Array>): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return chunks
}

function unlessAborted<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason))
    start().then(resolve, reject)
  })
}

const networkError = (): TypeError => new TypeError('Failed to fetch')
