import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** One request for an order, as it came. */
export interface Arrival {
  readonly cart: number
  readonly key: string | undefined
  /** Milliseconds by the monotonic clock of the machine. */
  readonly atMs: number
}

/** What happens to the requests of one arm. */
export interface Weather {
  /** The share of replies that are lost: it is executed, and then the connection is gone. */
  readonly lost?: number
  /** How long an order takes, in milliseconds. */
  readonly workMs?: number
  /** The first reply of each cart is held back, until `release` drops it. */
  readonly holds?: boolean
  /** There is no way to the server: connections end before anything is read. */
  readonly away?: boolean
  /** Connections are used again. A browser repeats a POST on its own account when such a one breaks. */
  readonly keepAlive?: boolean
}

/** What the server knows of one arm. */
export class Stall {
  readonly arrivals: Arrival[] = []
  weather: Weather = {}
  readonly #effects = new Map<number, number>()
  readonly #answers = new Map<string, Promise<unknown>>()
  readonly #held: (() => void)[] = []

  effects(cart: number): number {
    return this.#effects.get(cart) ?? 0
  }

  requests(cart: number): number {
    return this.arrivals.filter(arrival => arrival.cart === cart).length
  }

  release(): void {
    for (const drop of this.#held.splice(0)) drop()
  }

  async order(request: IncomingMessage, response: ServerResponse, atMs: number): Promise<void> {
    const { lost = 0, workMs = 0, holds = false, away = false, keepAlive = false } = this.weather
    if (away) return void request.socket.destroy()
    let text = ''
    for await (const chunk of request) text += chunk
    const { cart } = JSON.parse(text) as { cart: number }
    const key = request.headers['idempotency-key']?.toString()
    this.arrivals.push({ cart, key, atMs })
    const attempt = this.requests(cart)
    // A key that is known has no effect, and gets the answer of the first as soon as there is one.
    const known = key === undefined ? undefined : this.#answers.get(key)
    const work = known ?? pause(workMs)
    if (!known) this.#effects.set(cart, this.effects(cart) + 1)
    if (key !== undefined) this.#answers.set(key, work)
    await work
    const drop = () => request.socket.destroy()
    if (holds && attempt === 1) return void this.#held.push(drop)
    if (drawn(cart, attempt) < lost) return void drop()
    response
      .writeHead(201, {
        'content-type': 'application/json',
        connection: keepAlive ? 'keep-alive' : 'close',
      })
      .end(JSON.stringify({ id: `order-${cart}` }))
  }
}

/**
 * The server of all arms, on the loopback device: `/arm/` is the page of an arm, `/arm/orders` where it orders. It tells
 * a repeat by its `Idempotency-Key`, whoever sends one, and by nothing else.
 */
export class Shop {
  readonly origin: string
  readonly #stalls = new Map<string, Stall>()
  readonly close: () => void

  private constructor(origin: string, close: () => void) {
    this.origin = origin
    this.close = close
  }

  static async open(folder: string): Promise<Shop> {
    const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
      const atMs = nowMs()
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      const [, path = '', file = ''] = pathname.split('/')
      if (request.method === 'POST')
        // A page that goes away in the middle of its request has not ordered.
        shop
          .stall(path)
          .order(request, response, atMs)
          .catch(() => request.socket.destroy())
      else void serve(folder, path, file, response)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const shop = new Shop(`http://127.0.0.1:${port}`, () => {
      server.close()
      server.closeAllConnections()
    })
    return shop
  }

  stall(path: string): Stall {
    const stall = this.#stalls.get(path) ?? new Stall()
    this.#stalls.set(path, stall)
    return stall
  }
}

export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/**
 * From 0 to 1, by the cart and the number of the request for it: the same for every arm, in every run. A hash, since what
 * is drawn must not hang on what was drawn before. https://github.com/aappleby/smhasher (MurmurHash3, fmix32)
 */
function drawn(cart: number, attempt: number): number {
  let hash = Math.imul(cart, 0x9e37_79b1) + attempt
  for (const factor of [0x85eb_ca6b, 0xc2b2_ae35]) {
    hash = Math.imul(hash ^ (hash >>> 16), factor)
    hash ^= hash >>> 13
  }
  return (hash >>> 0) / 2 ** 32
}

async function serve(
  folder: string,
  path: string,
  file: string,
  response: ServerResponse,
): Promise<void> {
  const isModule = path === 'modules'
  const isWorker = file === 'worker.js'
  const body =
    isModule || isWorker
      ? await readFile(join(folder, isWorker ? 'workbox-worker.js' : file)).catch(() => undefined)
      : pageOf(path.replace(/-(again|auto|guard|key)$/, ''))
  response
    .writeHead(body ? 200 : 404, {
      'content-type': isModule || isWorker ? 'text/javascript' : 'text/html; charset=utf-8',
      // An isolated page sees time in steps of 5 µs.
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      connection: 'close',
    })
    .end(body)
}

function pageOf(module: string): string {
  return `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <link rel="icon" href="data:," />
  <title>${module}</title>
  <body>
    <main></main>
    <script type="module" src="/modules/${module}.js"></script>
  </body>
</html>
`
}
