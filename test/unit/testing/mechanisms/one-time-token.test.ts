import type { RouteOptions, TokenOptions } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { ANN, BOB, fiftyAtOnce, openShop, tally } from '../shop.ts'

const withToken = (options: Omit<TokenOptions, 'is'> = {}, route: RouteOptions = {}) =>
  openShop({ mechanisms: [{ is: 'token', ...options }], ...route })

type Shop = ReturnType<typeof withToken>

const fetchToken = async (shop: Shop, headers = {}, path = '/api/token'): Promise<string> =>
  String((await shop.get(path, headers)).json.token)

const carrying = (token: string) => ({ 'x-idempotent-token': token })

describe('a token', () => {
  it('is issued with a lifetime, each time another', async () => {
    const shop = withToken({ lifetimeMs: 60_000 })
    const first = await shop.get('/api/token')
    expect(first.status).toBe(200)
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(first.json).toEqual({
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
      expiresInMs: 60_000,
    })
    expect(await fetchToken(shop)).not.toBe(first.json.token)
    expect(shop.server.tables().tokens).toMatchObject([{ spentAt: undefined }, { issuedAt: 0 }])
  })

  it('may be asked for by POST, at another path', async () => {
    const shop = withToken({ path: '/idempotent/token' })
    const { token } = (await shop.post({}, {}, '/idempotent/token')).json
    expect((await shop.post(carrying(String(token)))).status).toBe(201)
    expect(shop.placed).toBe(1)
  })

  it('is issued in the shape that it is told', async () => {
    const shop = withToken({ reply: token => token }, { answers: 'envelope' })
    const { code, data } = (await shop.get('/api/token')).json
    expect([code, data]).toEqual(['done', shop.server.tables().tokens[0]?.token])
  })

  it('is good for one order, and names it', async () => {
    const shop = withToken()
    const token = await fetchToken(shop)
    expect((await shop.post(carrying(token))).status).toBe(201)
    const repeat = await shop.post(carrying(token))
    expect([repeat.status, repeat.json.code]).toEqual([409, 'duplicate'])
    expect(shop.server.ledger({ token })).toHaveLength(1)
    expect(shop.server.log({ token }).map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(shop.server.tables().tokens).toMatchObject([{ token, spentBy: 2, spentAt: 0 }])
  })

  it.each([0, 100])('is good for one of fifty requests at once (work: %i ms)', async workMs => {
    const shop = withToken({}, { workMs })
    const token = await fetchToken(shop)
    const answers = await fiftyAtOnce(shop, workMs, () => shop.post(carrying(token)))
    expect(tally(answers)).toEqual([1, [409]])
    expect(shop.placed).toBe(1)
  })

  it('is missed where there is none, unless the route does without', async () => {
    const strict = withToken()
    const refused = await strict.post()
    expect([refused.status, refused.json.code, strict.placed]).toEqual([400, 'missing', 0])
    const lenient = withToken({}, { requireKey: false })
    await lenient.post()
    await lenient.post()
    expect(lenient.placed).toBe(2)
  })

  it('is good for who it was issued to only', async () => {
    const shop = withToken({ tellsExpired: true })
    const token = await fetchToken(shop, ANN)
    expect((await shop.post({ ...BOB, ...carrying(token) })).json.code).toBe('token-unknown')
    expect((await shop.post({ ...ANN, ...carrying(token) })).status).toBe(201)
    expect((await shop.get('/api/token', { cookie: 'session=signed-out' })).status).toBe(401)
  })

  it.each([
    ['the query', { query: 'token' }, (token: string) => [`?token=${token}`, {}]],
    ['the JSON', { body: '/form/token' }, (token: string) => ['', { form: { token } }]],
  ] as const)('may be in %s', async (_, place, carried) => {
    const shop = withToken({ place })
    const token = await fetchToken(shop)
    const [query, json] = carried(token)
    const send = () => shop.post({}, json, `/api/orders${query}`)
    expect([(await send()).status, (await send()).status]).toEqual([201, 409])
    expect(shop.server.ledger({ token })).toHaveLength(1)
  })
})

describe('a token that is used, expired or unknown', () => {
  const three = async (options: Omit<TokenOptions, 'is'>, route?: RouteOptions) => {
    const shop = withToken({ lifetimeMs: 1_000, ...options }, route)
    const used = await fetchToken(shop)
    await shop.post(carrying(used))
    const expired = await fetchToken(shop)
    shop.clock.advance(1_000)
    const said = []
    for (const token of [used, expired, 'never-issued']) {
      const { status, json } = await shop.post(carrying(token))
      said.push([status, json.code])
    }
    expect(shop.placed).toBe(1)
    return said
  }

  it('looks the same', async () => {
    expect(await three({})).toEqual(Array.from({ length: 3 }, () => [409, 'duplicate']))
  })

  it('is told apart by a server that keeps what it knows', async () => {
    expect(await three({ tellsExpired: true })).toEqual([
      [409, 'token-used'],
      [409, 'token-expired'],
      [409, 'token-unknown'],
    ])
  })

  it('is called what the route calls it', async () => {
    const plain = { says: { duplicate: { status: 400, code: 400_000 } } }
    expect(new Set((await three({}, plain)).map(String))).toEqual(new Set(['400,400000']))
    const envelope = { answers: 'envelope', says: { duplicate: { code: 'A000201' } } } as const
    const shop = withToken({}, envelope)
    expect((await shop.get('/api/token')).json).toMatchObject({
      code: 'done',
      data: { expiresInMs: 600_000 },
    })
    const { status, json } = await shop.post(carrying('gone'))
    expect([status, json]).toEqual([
      200,
      { code: 'A000201', message: 'Do not submit again', data: null },
    ])
  })

  it('expires at its lifetime, not before', async () => {
    const shop = withToken({ lifetimeMs: 1_000 })
    const token = await fetchToken(shop)
    shop.clock.advance(999)
    expect((await shop.post(carrying(token))).status).toBe(201)
  })
})

describe('a token whose order is refused', () => {
  it.each([
    [false, 409, 0],
    [true, 201, 1],
  ])('stays spent, or is put back (%s)', async (putsBack, status, placed) => {
    const shop = withToken({ putsBack })
    const token = await fetchToken(shop)
    expect((await shop.post(carrying(token), { address: ' ' })).status).toBe(422)
    expect((await shop.post(carrying(token))).status).toBe(status)
    expect(shop.placed).toBe(placed)
  })
})

describe('asking by token', () => {
  it('tells what happened', async () => {
    const shop = withToken({}, { workMs: 100 })
    const token = await fetchToken(shop)
    const asking = async (of = token) => {
      const { status, json } = await shop.get(`/api/orders/by-token/${of}`)
      return [status, json.state]
    }
    expect(await asking()).toEqual([404, 'unknown'])
    const sent = shop.post(carrying(token))
    await shop.clock.waitedFor()
    expect(await asking()).toEqual([200, 'processing'])
    shop.clock.advance(100)
    await sent
    expect(await asking()).toEqual([200, 'done'])
    expect((await shop.get(`/api/orders?token=${token}`)).json.data).toEqual({
      id: 'order-1',
      item: 'tea',
      amount: 3,
    })
    const refused = await fetchToken(shop)
    await shop.post(carrying(refused), { address: '' })
    expect(await asking(refused)).toEqual([200, 'failed'])
    expect((await shop.get(`/api/orders/by-token/${token}`, BOB)).status).toBe(404)
  })
})

describe('the address of tokens', () => {
  it('fails by a fault that names it, and only then', async () => {
    const shop = withToken()
    shop.server.next(503)
    expect((await shop.get('/api/token')).status).toBe(200)
    shop.server.clearFaults()
    shop.server.next(500, { path: '/api/token' })
    expect((await shop.server.fetch('/api/token')).status).toBe(500)
    shop.server.next('lose-reply', { path: '/api/token' })
    await expect(shop.server.fetch('/api/token')).rejects.toThrow(TypeError)
    shop.server.next({ is: 'slow', ms: 500 }, { path: '/api/token' })
    const slow = shop.get('/api/token')
    await shop.clock.waitedFor()
    shop.clock.advance(500)
    expect((await slow).status).toBe(200)
    expect(shop.server.tables().tokens).toHaveLength(3)
  })
})
