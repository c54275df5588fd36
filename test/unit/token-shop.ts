import type { Client, ClientOptions, Outcome, SendonceEvent, ServerProfile } from 'sendonce'
import { createClientOn } from '../../src/client.ts'
import type { MemoryStore } from '../support/world/memory-store.ts'
import { memoryStore } from '../support/world/memory-store.ts'
import type { Page } from '../support/world/page.ts'
import { World } from '../support/world/world.ts'

const SHOP = 'http://shop.test'
export const ORDERS = `${SHOP}/api/orders`
export const LIFETIME_MS = 60_000

/** What goes wrong with the next request of a kind. */
export type Trouble = 'lose-request' | 'lose-reply' | 'fail' | 'hang' | 'refuse' | 'busy'

/** A shop that sells against one-time tokens: looked up and deleted in one step, no answer kept. */
export class TokenShop {
  readonly records: MemoryStore = memoryStore()
  readonly world: World = new World({ openStore: () => this.records })
  readonly tokens = new Map<string, number>()
  readonly issued: string[] = []
  readonly orders: { readonly token: string; readonly body: string }[] = []
  /** What arrived: method, path, token. */
  readonly log: string[] = []
  readonly trouble: { token: Trouble[]; order: Trouble[] } = { token: [], order: [] }
  /** Says of a token whether it has expired or was used. */
  tells = false
  #spent = new Set<string>()

  constructor() {
    this.world.server = request => this.#answer(request)
  }

  open(
    profile: ServerProfile,
    options: Partial<ClientOptions> = {},
    page = this.world.page(),
  ): Tab {
    const events: SendonceEvent[] = []
    const client = createClientOn(page.platform, {
      scope: 'ada',
      storage: page.store,
      profile,
      onEvent: event => void events.push(event),
      ...options,
    })
    return { page, client, events }
  }

  async ending<T>(promise: Promise<T>): Promise<T> {
    let over = false
    const end = () => {
      over = true
    }
    promise.then(end, end)
    await this.world.run(() => over)
    return promise
  }

  /** The tokens that came with orders, each once. */
  get carried(): readonly string[] {
    const posts = this.log.filter(line => line.startsWith('POST /api/orders'))
    return [...new Set(posts.map(line => line.split(' ')[2] ?? ''))]
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const token = request.headers.get('x-token') ?? url.searchParams.get('token') ?? ''
    this.log.push(`${request.method} ${url.pathname} ${token}`.trim())
    if (url.pathname === '/api/token') return this.#issue(request)
    if (request.method === 'GET') {
      const order = this.orders.find(each => each.token === token)
      return order ? Response.json({ id: token }) : Response.json({}, { status: 404 })
    }
    const trouble = this.trouble.order.shift()
    if (trouble === 'lose-request') throw new TypeError('lost')
    if (trouble === 'hang') return new Promise(() => {})
    if (trouble === 'busy') return Response.json({}, { status: 429 })
    if (trouble === 'fail') return Response.json({}, { status: 503 })
    const until = this.tokens.get(token)
    this.tokens.delete(token)
    const spent = this.#spent.has(token)
    if (until === undefined || until <= this.world.now()) {
      const code = !this.tells ? 'TOKEN' : spent ? 'USED' : 'EXPIRED'
      return Response.json({ code }, { status: 409 })
    }
    this.#spent.add(token)
    if (trouble === 'refuse') return Response.json({ code: 'ADDRESS' }, { status: 422 })
    this.orders.push({ token, body: await request.text() })
    if (trouble === 'lose-reply') throw new TypeError('lost')
    return Response.json({ id: token }, { status: 201 })
  }

  async #issue(request: Request): Promise<Response> {
    const trouble = this.trouble.token.shift()
    if (request.cache !== 'no-store') throw new TypeError('A token came from a cache.')
    if (trouble === 'lose-request') throw new TypeError('lost')
    if (trouble === 'hang') return new Promise(() => {})
    if (trouble) return Response.json({ data: 'no' }, { status: 503 })
    const token = `token-${this.issued.length + 1}`
    this.issued.push(token)
    this.tokens.set(token, this.world.now() + LIFETIME_MS)
    return Response.json({ data: { token } })
  }
}

export interface Tab {
  readonly page: Page
  readonly client: Client
  readonly events: SendonceEvent[]
}

export const order = (json: Readonly<Record<string, unknown>> = { item: 'book' }) => ({
  url: ORDERS,
  json,
})

/** A profile of that shop. */
export const tokenProfile = (changes: Partial<ServerProfile> = {}): ServerProfile => ({
  id: 'token-shop',
  guarantee: 'reject',
  key: null,
  token: {
    request: { url: `${SHOP}/api/token` },
    at: '/data/token',
    lifetimeMs: LIFETIME_MS,
    place: { header: 'x-token' },
  },
  ttlMs: 86_400_000,
  failureKey: 'rotate',
  rules: [
    { status: 409, body: { '/code': 'TOKEN' }, then: { is: 'duplicate' } },
    { status: 409, body: { '/code': 'USED' }, then: { is: 'duplicate' } },
    {
      status: 409,
      body: { '/code': 'EXPIRED' },
      then: { is: 'not-executed', because: 'token-expired' },
    },
  ],
  ...changes,
})

/** Asks for the order that a token has bought. */
export const recover: NonNullable<ServerProfile['recover']> = async ({ token }, ask) => {
  const response = await ask(`${ORDERS}?token=${token}`)
  if (response.ok) return { is: 'succeeded', data: await response.json() }
  return response.status === 404 ? { is: 'not-applied' } : { is: 'unknown' }
}

/** State and reason. */
export const short = (outcome: Outcome<unknown>): string =>
  'reason' in outcome ? `${outcome.state}:${outcome.reason}` : outcome.state
