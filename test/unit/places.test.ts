import type { ServerProfile, SubmitRequest } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { idempotencyKey } from '../../src/index.ts'
import { Shop, watch } from './shop.ts'

const profile = (
  place: NonNullable<ServerProfile['key']>['place'],
  changes: Partial<ServerProfile> = {},
): ServerProfile => ({ ...idempotencyKey(), id: 'placed', key: { place }, ...changes })

/** What the server was sent with this profile: query, path, headers and body of each attempt. */
async function sent(
  given: ServerProfile,
  request: SubmitRequest & { url: string },
): Promise<{ url: string; body: string; header: string | null; id: string | null }[]> {
  const shop = new Shop()
  const seen: Awaited<ReturnType<typeof sent>> = []
  shop.world.server = async request => {
    const { pathname, search } = new URL(request.url)
    seen.push({
      url: pathname + search,
      body: await request.text(),
      header: request.headers.get('idempotency-key'),
      id: request.headers.get('x-request-id'),
    })
    return Response.json({}, { status: seen.length === 1 ? 503 : 201 })
  }
  const { client } = shop.open({ profile: given })
  await shop.ending(client.submit('checkout', request))
  return seen
}

const url = 'http://shop.test/pay'

describe('the key goes, on every attempt,', () => {
  it('into a header, raw or as a structured string', async () => {
    const raw = await sent(profile({ header: 'idempotency-key' }), { url, json: {}, key: 'a"b' })
    expect(raw.map(({ header }) => header)).toEqual(['a"b', 'a"b'])
    const quoted = await sent(profile({ header: 'idempotency-key', as: 'structured-string' }), {
      url,
      json: {},
      key: 'a"b',
    })
    expect(quoted.map(({ header }) => header)).toEqual(['"a\\"b"', '"a\\"b"'])
  })

  it('into the query, after what is there', async () => {
    const seen = await sent(profile({ query: 'request_id' }), {
      url: `${url}?a=1`,
      json: {},
      key: 'k &1',
    })
    expect(seen.map(each => each.url)).toEqual(Array(2).fill('/pay?a=1&request_id=k+%261'))
  })

  it('into the path', async () => {
    const seen = await sent(profile({ path: '{no}' }), {
      url: 'http://shop.test/orders/{no}/pay',
      json: {},
      key: 'a/b',
    })
    expect(seen.map(each => each.url)).toEqual(Array(2).fill('/orders/a%2Fb/pay'))
  })

  it('into the body, of which nothing else changes by a byte', async () => {
    const json = { z: 1e21, a: { keep: [0.1, null, 'é\u2028"'] }, '1': true }
    const seen = await sent(profile({ body: '/a/out_trade_no' }), { url, json, key: 'n"1' })
    const body = JSON.stringify({ ...json, a: { ...json.a, out_trade_no: 'n"1' } })
    expect(seen.map(each => each.body)).toEqual([body, body])
  })

  it('where it stands already, if it is the same', async () => {
    const json = { no: 'order-1', amount: 1 }
    const seen = await sent(profile({ body: '/no' }), { url, json, key: 'order-1' })
    expect(seen.map(each => each.body)).toEqual(Array(2).fill(JSON.stringify(json)))
  })

  it('into a header beside it, as the request id', async () => {
    const seen = await sent(profile({ query: 'q' }, { requestId: 'x-request-id' }), {
      url,
      json: {},
      key: 'k1',
    })
    expect(seen.map(({ id }) => id)).toEqual(['k1', 'k1'])
  })
})

describe('a key with a place of its own', () => {
  it('is no part of the fingerprint: the same submit without it meets the first', async () => {
    const shop = new Shop()
    const bodies: string[] = []
    shop.world.server = async request => {
      bodies.push(await request.text())
      return Response.json({}, { status: bodies.length === 1 ? 500 : 201 })
    }
    const { client } = shop.open({
      profile: profile({ body: '/no' }),
      retry: { maxAttempts: 1 },
    })
    await shop.ending(client.submit('checkout', { url, json: { amount: 1 } }))
    const outcome = await shop.ending(client.submit('checkout', { url, json: { amount: 1 } }))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(new Set(bodies).size).toBe(1)
    expect(bodies[0]).toContain(outcome.key)
  })

  it.each([
    ['a text body', { body: '{}' }, 'body'],
    ['a form', { form: new FormData() }, 'body'],
    ['no body', {}, 'body'],
    ['an array of no objects', { json: 1 }, 'body'],
    ['another value there', { json: { no: 'mine' }, key: 'other' }, 'invalid-argument'],
  ] as const)('that belongs into JSON refuses %s, and nothing is sent', async (_, given, code) => {
    const shop = new Shop()
    const { client } = shop.open({ profile: profile({ body: '/no' }) })
    const request = { url, ...given } as SubmitRequest
    const tried = watch(client.submit('checkout', request))
    await shop.world.run()
    expect(tried.error).toMatchObject({ code })
    expect(shop.log).toEqual([])
  })

  it.each([
    [{ path: '{no}' }, 'http://shop.test/pay?no={no}'],
    [{ query: 'no' }, 'http://shop.test/pay?no=1'],
  ])('%j refuses the address %s', async (place, address) => {
    const shop = new Shop()
    const { client } = shop.open({ profile: profile(place) })
    const tried = watch(client.submit('checkout', { url: address, json: {} }))
    await shop.world.run()
    expect(tried.error).toMatchObject({ code: 'invalid-argument' })
  })

  it.each([[{ body: '' }], [{ query: '' }], [{ path: 'a/b' }], [{ header: 'two words' }], [{}]])(
    'at %j is refused with the profile',
    place => {
      const shop = new Shop()
      expect(() => shop.open({ profile: profile(place as never) })).toThrow(/profile\.key\.place/)
    },
  )
})
