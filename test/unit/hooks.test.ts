import ky from 'ky'
import ky1 from 'ky1'
import type { KyLike } from 'sendonce'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tab } from './shop.ts'
import { keyOf, ORDERS, order, Shop, statesOf, watch } from './shop.ts'

// ky waits by timers of its own between an answer and the try that a hook asked for.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Settles the world, and ky's own timers in it. */
async function settle(shop: Shop): Promise<void> {
  await shop.world.run()
  await vi.advanceTimersByTimeAsync(10_000)
  await shop.world.settle()
}

/** The session of an app: nobody is signed in until it is refreshed. */
class Session {
  token = 'signed-out'
  refreshed = 0
  refresh = async (): Promise<void> => {
    this.refreshed += 1
    this.token = 'ada'
  }
  sign = (request: Request): void => request.headers.set('authorization', `Bearer ${this.token}`)
}

/** Throws before the second request, and never again. */
function throwingOnce(): KyLike {
  let calls = 0
  const throwSecond = () => {
    calls += 1
    if (calls === 2) throw new Error('No session.')
  }
  return ky.create({ hooks: { beforeRequest: [throwSecond] } }) as KyLike
}

type Form = (session: Session) => KyLike

/** The usual forms in which an app renews its session, as its ky 2 and its ky 1 have them. */
const AFTER: readonly (readonly [name: string, form: Form])[] = [
  [
    'ky 2, afterResponse returns ky(request)',
    session => {
      const again = ky.create({ throwHttpErrors: false })
      return ky.create({
        hooks: {
          beforeRequest: [({ request }) => session.sign(request)],
          afterResponse: [
            async ({ request, response }) => {
              if (response.status !== 401) return
              await session.refresh()
              session.sign(request)
              return again(request)
            },
          ],
        },
      }) as KyLike
    },
  ],
  [
    'ky 2, afterResponse returns fetch(request)',
    session =>
      ky.create({
        hooks: {
          beforeRequest: [({ request }) => session.sign(request)],
          afterResponse: [
            async ({ request, response }) => {
              if (response.status !== 401) return
              await session.refresh()
              session.sign(request)
              return fetch(request)
            },
          ],
        },
      }) as KyLike,
  ],
  [
    'ky 2, ky.retry()',
    session =>
      ky.create({
        hooks: {
          beforeRequest: [({ request }) => session.sign(request)],
          beforeRetry: [({ request }) => session.sign(request)],
          afterResponse: [
            async ({ response }) => {
              if (response.status !== 401 || session.token === 'ada') return
              await session.refresh()
              return ky.retry()
            },
          ],
        },
      }) as KyLike,
  ],
  [
    'ky 1, afterResponse returns ky(request)',
    session => {
      const again = ky1.create({ throwHttpErrors: false })
      return ky1.create({
        hooks: {
          beforeRequest: [request => session.sign(request)],
          afterResponse: [
            async (request, _, response) => {
              if (response.status !== 401) return
              await session.refresh()
              session.sign(request)
              return again(request)
            },
          ],
        },
      }) as KyLike
    },
  ],
  [
    'ky 1, afterResponse returns fetch(request)',
    session =>
      ky1.create({
        hooks: {
          beforeRequest: [request => session.sign(request)],
          afterResponse: [
            async (request, _, response) => {
              if (response.status !== 401) return
              await session.refresh()
              session.sign(request)
              return fetch(request)
            },
          ],
        },
      }) as KyLike,
  ],
  [
    'ky 1, ky.retry()',
    session =>
      ky1.create({
        hooks: {
          beforeRequest: [request => session.sign(request)],
          beforeRetry: [({ request }) => session.sign(request)],
          afterResponse: [
            async (_request, _options, response) => {
              if (response.status !== 401 || session.token === 'ada') return
              await session.refresh()
              return ky1.retry()
            },
          ],
        },
      }) as KyLike,
  ],
]

const BEFORE: readonly (readonly [name: string, form: Form])[] = [
  [
    'ky 2',
    session =>
      ky.create({
        hooks: {
          beforeRequest: [
            async ({ request }) => {
              if (session.token === 'signed-out') await session.refresh()
              session.sign(request)
            },
          ],
        },
      }) as KyLike,
  ],
  [
    'ky 1',
    session =>
      ky1.create({
        hooks: {
          beforeRequest: [
            async request => {
              if (session.token === 'signed-out') await session.refresh()
              session.sign(request)
            },
          ],
        },
      }) as KyLike,
  ],
]

/** A client whose app calls the global `fetch` of its page. */
function open(shop: Shop, form: Form, hooksMayRetry = true): Tab & { session: Session } {
  const session = new Session()
  const tab = shop.open({ ky: form(session), hooksMayRetry })
  vi.stubGlobal('fetch', tab.page.platform.fetch)
  return { ...tab, session }
}

describe('a session that is refreshed', () => {
  it.each(AFTER)('%s: works, with the same key and bytes', async (_, form) => {
    const shop = new Shop()
    const { client, session } = open(shop, form)
    const states = statesOf(client)
    const sent = watch(client.submit('checkout', order()))
    await settle(shop)
    expect(sent.value).toMatchObject({ state: 'succeeded', attempts: 1, from: 'reply' })
    expect(states).toEqual(['idle', 'sending', 'succeeded'])
    expect(session.refreshed).toBe(1)
    expect(shop.log.map(({ reply }) => 'status' in reply && reply.status)).toEqual([401, 201])
    expect(shop.keys).toHaveLength(1)
    expect(shop.bodies).toHaveLength(1)
    expect(shop.server.ledger()).toMatchObject([{ principal: 'ada', item: 'book' }])
  })

  it.each(AFTER)('%s: a lost reply after it is sent again', async (_, form) => {
    const shop = new Shop()
    const { client } = open(shop, form)
    shop.server.next('lose-reply', { attempts: [2] })
    const sent = watch(client.submit('checkout', order()))
    await settle(shop)
    await settle(shop)
    expect(sent.value).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.keys).toHaveLength(1)
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it.each(BEFORE)(
    '%s: beforeRequest awaits a token, and runs for every attempt',
    async (_, form) => {
      const shop = new Shop()
      const { client, session } = open(shop, form, false)
      shop.server.next('lose-reply')
      const sent = watch(client.submit('checkout', order()))
      await settle(shop)
      expect(sent.value).toMatchObject({ state: 'succeeded', attempts: 2 })
      expect(session.refreshed).toBe(1)
      expect(shop.log.map(({ principal }) => principal)).toEqual(['ada', 'ada'])
      expect(shop.keys).toHaveLength(1)
      expect(shop.placed).toBe(1)
    },
  )

  it('ky adds no resend of its own', async () => {
    const shop = new Shop()
    const eager = ky.create({ retry: { limit: 5, methods: ['post'], statusCodes: [503] } })
    const { client } = shop.open({
      ky: eager as KyLike,
      hooksMayRetry: true,
      retry: { maxAttempts: 1 },
    })
    shop.server.next(503, { requests: 9 })
    const sent = watch(client.submit('checkout', order()))
    await settle(shop)
    expect(sent.value).toMatchObject({ state: 'unknown', reason: 'attempts' })
    expect(shop.log).toHaveLength(1)
  })

  it('ky.retry() without leave gets a message that names the option, and the answer that it saw', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const shop = new Shop()
    const [, , [, form] = ['', () => ky as KyLike]] = AFTER
    const { client } = open(shop, form, false)
    const sent = watch(client.submit('checkout', order()))
    await settle(shop)
    expect(sent.value).toMatchObject({ state: 'paused', reason: 'unauthorized' })
    expect(warn.mock.calls).toEqual([[expect.stringContaining('hooksMayRetry')]])
    warn.mockRestore()
    const again = watch(client.operation('checkout').resume())
    await settle(shop)
    expect(again.value).toMatchObject({ state: 'succeeded' })
    expect(shop.keys).toHaveLength(1)
  })
})

describe('a beforeRequest hook', () => {
  const broken = ky.create({
    hooks: {
      beforeRequest: [
        () => {
          throw new Error('No session.')
        },
      ],
    },
  }) as KyLike

  it('that throws is not-sent, and nothing is left behind', async () => {
    const shop = new Shop()
    const { client } = shop.open({ ky: broken })
    const states = statesOf(client)
    const sent = watch(client.submit('checkout', order()))
    await settle(shop)
    expect(sent.error).toMatchObject({
      name: 'SendonceError',
      code: 'not-sent',
      cause: { message: 'No session.' },
    })
    expect(shop.log).toEqual([])
    expect(shop.stored()).toBeUndefined()
    expect(states.at(-1)).toBe('idle')
  })

  it('that throws after an attempt without an answer leaves the operation unknown', async () => {
    const shop = new Shop()
    const { client } = shop.open({ ky: throwingOnce() })
    shop.server.next('lose-reply')
    const sent = watch(client.submit('checkout', order()))
    await settle(shop)
    expect(sent.value).toMatchObject({
      state: 'unknown',
      resumable: true,
      cause: { message: 'No session.' },
    })
    const again = watch(client.operation('checkout').resume())
    await settle(shop)
    expect(again.value).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('that throws after an attempt whose success was seen leaves it a success', async () => {
    const shop = new Shop()
    const { client } = shop.open({ ky: throwingOnce() })
    shop.server.next('stall-body')
    const sent = watch(client.submit('checkout', order()))
    await settle(shop)
    expect(shop.log).toHaveLength(1)
    expect(sent.value).toMatchObject({ state: 'succeeded', bodyLost: true })
    expect(shop.stored()).toMatchObject({ phase: { is: 'succeeded' } })
    expect(shop.placed).toBe(1)
  })

  it('that never settles ends with the clock of its attempt', async () => {
    const shop = new Shop()
    const stuck = ky.create({ hooks: { beforeRequest: [() => new Promise<void>(() => {})] } })
    const { client } = shop.open({
      ky: stuck as KyLike,
      retry: { maxAttempts: 1, attemptTimeoutMs: 5_000 },
    })
    const began = shop.world.now()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(shop.world.now() - began).toBe(5_000)
    expect(outcome).toMatchObject({ state: 'paused', reason: 'unavailable' })
    expect(shop.log).toEqual([])
  })

  it('that settles after the clock of its attempt sends nothing then', async () => {
    const shop = new Shop()
    const { page, client } = shop.open({
      ky: ky.create({
        hooks: {
          beforeRequest: [
            () => new Promise<void>(resolve => void page.platform.timer(8_000, () => resolve())),
          ],
        },
      }) as KyLike,
      retry: { maxAttempts: 1, attemptTimeoutMs: 5_000 },
    })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'paused' })
    await shop.world.settle()
    expect(shop.log).toEqual([])
  })
})

describe('a ky that sends with a fetch of its own', () => {
  it('leaves the order unknown when it fails: nobody can say whether anything was sent', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const shop = new Shop()
    const { page, client } = shop.open({
      ky: async (url, { method, headers, body }) => {
        const request = new Request(url, { method, headers, body: body ?? null })
        await page.platform.fetch(request)
        throw new Error('http 502')
      },
      retry: { maxAttempts: 1 },
    })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', attempts: 1 })
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringContaining('without calling the `fetch`'),
    )
    await shop.ending(client.submit('checkout', order()))
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.placed).toBe(1)
  })

  it('is believed where it has called the one that it was given before', async () => {
    const shop = new Shop()
    let signedIn = true
    const { client } = shop.open({
      ky: (async (url, options) => {
        if (!signedIn) throw new Error('Nobody is signed in.')
        return ky(url, options as object)
      }) as KyLike,
    })
    await shop.ending(client.submit('checkout', order()))
    signedIn = false
    const sent = watch(client.submit('another', order()))
    await shop.world.run()
    expect(sent.error).toMatchObject({ code: 'not-sent' })
    expect(shop.placed).toBe(1)
  })
})

describe('an afterResponse hook', () => {
  it('that throws after a success leaves it a success, whose body is lost', async () => {
    const shop = new Shop()
    const broken = ky.create({
      hooks: {
        afterResponse: [
          () => {
            throw new Error('Broken.')
          },
        ],
      },
    }) as KyLike
    const { client } = shop.open({ ky: broken, retry: { maxAttempts: 1 } })
    const sent = watch(client.submit('checkout', order()))
    await settle(shop)
    expect(sent.value).toMatchObject({ state: 'succeeded', bodyLost: true })
    expect(shop.placed).toBe(1)
  })

  it('sees its request, and its answer is what counts', async () => {
    const shop = new Shop()
    const seen: string[] = []
    const hooked = ky.create({
      hooks: {
        afterResponse: [
          ({ request, response }) => {
            seen.push(`${request.method} ${request.url} ${response.status}`)
            return Response.json({ id: 'mine' }, { status: 200 })
          },
        ],
      },
    }) as KyLike
    const { client } = shop.open({ ky: hooked })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(seen).toEqual([`POST ${ORDERS} 201`])
    expect(outcome).toMatchObject({ state: 'succeeded', data: { id: 'mine' } })
  })
})

describe('the app’s ky', () => {
  it.each<readonly [string, KyLike]>([
    ['2', ky.create({ baseUrl: 'http://shop.test/api/' }) as KyLike],
    ['1', ky1.create({ prefixUrl: 'http://shop.test/api/' }) as KyLike],
  ])('%s: a path is relative to its base, also after a reload', async (_, hooked) => {
    const shop = new Shop()
    const request = { ...order(), url: 'orders' }
    const { page, client } = shop.open({ ky: hooked })
    shop.server.next('hang')
    void client.submit('checkout', request)
    await shop.arrivals(1)
    const tab = shop.open({ ky: hooked }, page.reload())
    const outcome = await shop.ending(tab.client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.log.map(({ path }) => path)).toEqual(['/api/orders', '/api/orders'])
    expect(shop.keys).toEqual([keyOf(outcome)])
  })

  it('may be any function of the same shape', async () => {
    const shop = new Shop()
    const calls: unknown[] = []
    const bare: KyLike = (url, { fetch: send, method, headers, body, signal, ...rest }) => {
      calls.push(rest)
      return send(url, { method, headers, body: body ?? null, signal })
    }
    const { client } = shop.open({ ky: bare })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome.state).toBe('succeeded')
    expect(calls).toEqual([{ timeout: false, retry: 0, throwHttpErrors: false }])
  })

  const to = (origin: string) => ky.create({ baseUrl: `${origin}/api/` }) as KyLike
  const relative = { ...order(), url: 'orders' }

  it('that leads to another origin than before sends nothing', async () => {
    const shop = new Shop()
    const { page, client } = shop.open({ ky: to('http://shop.test'), retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', relative))
    const tab = shop.open({ ky: to('http://other.test') }, page.reload())
    const outcome = await shop.ending(tab.client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'interrupted', resumable: true })
    expect(shop.log).toHaveLength(1)
  })

  it('that leads to another origin than the one where a page died sends nothing', async () => {
    const shop = new Shop()
    const { page, client } = shop.open({ ky: to('http://shop.test') })
    shop.server.next('hang')
    void client.submit('checkout', relative)
    await shop.arrivals(1)
    await shop.world.wait(0)
    const tab = shop.open({ ky: to('http://other.test') }, page.reload())
    const outcome = await shop.ending(tab.client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'interrupted' })
    expect(shop.log).toHaveLength(1)
  })
})
