import type { KyLike, ServerProfile } from 'sendonce'
import { idempotencyKey } from 'sendonce'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { order, Shop, watch } from './shop.ts'

afterEach(() => vi.unstubAllGlobals())

const profile = (changes: Partial<ServerProfile>): ServerProfile => ({
  ...idempotencyKey(),
  id: 'x',
  ...changes,
})

async function submitted(given: ServerProfile, more: object = {}, options: object = {}) {
  const shop = new Shop()
  const { client } = shop.open({ profile: given, retry: { maxAttempts: 2 }, ...options })
  const sent = watch(client.submit('checkout', { ...order(), ...more }))
  await shop.world.settle()
  return { shop, client, sent }
}

describe('a profile', () => {
  it('with a lifetime for ever is refused at once, and not when its record is read', () => {
    expect(() => new Shop().open({ profile: profile({ ttlMs: Infinity }) })).toThrow(/ttlMs/)
  })

  it('whose place says as: undefined has records that can be read', async () => {
    const place = { header: 'idempotency-key', as: undefined } as never
    const { shop } = await submitted(profile({ key: { place } }))
    expect(shop.stored()).toMatchObject({ phase: { is: 'succeeded' } })
  })

  it.each([
    ['no number', { is: 'in-progress', waitMs: Number.NaN }, 'in-progress'],
    ['less than nothing', { is: 'in-progress', waitMs: -1 }, 'in-progress'],
    ['no verdict', { is: 'banana' }, 'attempts'],
    ['a promise', Promise.resolve({ is: 'success' }), 'attempts'],
  ] as const)('whose classify says %s leaves it unknown, and readable', async (_, said, reason) => {
    const { shop, client, sent } = await submitted(profile({ classify: () => said as never }))
    expect(sent.value).toMatchObject({ state: 'unknown', reason })
    expect(shop.log.length).toBeLessThan(200)
    expect(await shop.ending(client.unsettled())).toHaveLength(1)
  })

  it('whose classify says for ever pauses it, and leaves it readable', async () => {
    const said = { is: 'not-executed', because: 'rate-limited', waitMs: Infinity } as const
    const { shop, client, sent } = await submitted(profile({ classify: () => said }))
    expect(sent.value).toMatchObject({ state: 'paused' })
    expect(await shop.ending(client.unsettled())).toHaveLength(1)
  })

  it('whose companions throw has sent nothing, and leaves nothing', async () => {
    const companions = () => {
      throw new RangeError('No date.')
    }
    const { shop, sent } = await submitted(
      profile({ key: { place: { header: 'idempotency-key' }, companions } }),
    )
    expect(sent.error).toMatchObject({ code: 'not-sent', cause: expect.any(RangeError) })
    expect(shop.stored()).toBeUndefined()
  })

  it('whose key stands in the path leaves the host alone', async () => {
    const shop = new Shop()
    const seen: string[] = []
    shop.world.server = async request => {
      seen.push(request.url)
      return Response.json({})
    }
    const { client } = shop.open({ profile: profile({ key: { place: { path: 'shop' } } }) })
    const request = { url: 'http://shop.test/shop', json: {}, key: 'evil' }
    await shop.ending(client.submit('checkout', request))
    expect(seen).toEqual(['http://shop.test/evil'])
  })
})

describe('guardHeaders', () => {
  it.each([
    ['the key’s own header', { 'Idempotency-Key': 'mine' }],
    ['the content type', { 'content-type': 'text/plain' }],
    ['no header', { 'two words': 'x' }],
  ])('that name %s are refused at once', async (_, guardHeaders) => {
    const { shop, sent } = await submitted(idempotencyKey(), { guardHeaders })
    expect(sent.error).toMatchObject({ code: 'invalid-argument' })
    expect(shop.log).toEqual([])
  })

  it('are those that were given: later changes have no effect', async () => {
    const shop = new Shop()
    const seen: (string | null)[] = []
    const { server } = shop.world
    shop.world.server = request => {
      seen.push(request.headers.get('x-csrf'))
      return server(request)
    }
    const { client } = shop.open()
    const guardHeaders = { 'x-csrf': 'one' }
    const sent = client.submit('checkout', { ...order(), guardHeaders })
    guardHeaders['x-csrf'] = 'two'
    await shop.ending(sent)
    expect(seen).toEqual(['one'])
  })
})

describe('an answer with a status of its own', () => {
  it.each([600, 999])(
    '%i, refused by a rule, is told with it, here and after a reload',
    async status => {
      const strange: KyLike = async (url, { fetch: send, method, headers, body, signal }) => {
        await send(url, { method, headers, body: body ?? null, signal })
        return Object.defineProperty(new Response('no'), 'status', { value: status })
      }
      const rules = [{ status, then: { is: 'failure', said: 'origin' } }] as const
      const given = profile({ rules })
      const { sent } = await submitted(given, {}, { ky: strange })
      expect(sent.value).toMatchObject({ state: 'refused', response: { status }, data: 'no' })
    },
  )

  it('that nothing is known of leaves it unknown', async () => {
    const strange: KyLike = async (url, { fetch: send, method, headers, body, signal }) => {
      await send(url, { method, headers, body: body ?? null, signal })
      return Object.defineProperty(new Response('no'), 'status', { value: 999 })
    }
    const { sent } = await submitted(idempotencyKey(), {}, { ky: strange })
    expect(sent.value).toMatchObject({ state: 'unknown', response: { status: 999 } })
  })
})

describe('a parse that never settles', () => {
  it('is given up: the operation has succeeded, and later submits are not kept waiting', async () => {
    const { shop, client, sent } = await submitted(idempotencyKey(), {
      parse: () => new Promise(() => {}),
    })
    expect(sent.value).toMatchObject({ state: 'succeeded', parseError: { name: 'TimeoutError' } })
    expect(client.operation('checkout').getSnapshot()).toMatchObject({ state: 'succeeded' })
    expect(shop.placed).toBe(1)
  })
})

describe('what was typed', () => {
  it('goes from a tab whose person has signed out elsewhere, though nobody is signed in by then', async () => {
    const tab = { 'sendonce:draft:checkout': '{}', other: '1' } as Record<string, unknown>
    Object.defineProperty(tab, 'removeItem', { value: (name: string) => delete tab[name] })
    vi.stubGlobal('sessionStorage', tab)
    const shop = new Shop()
    const session: { who: string | null } = { who: 'ada' }
    shop.open({ scope: () => session.who })
    const other = shop.world.page().platform.channel('sendonce:default', () => {})
    session.who = null
    other.post({ scope: 'ada', forgotten: true })
    await shop.world.settle()
    expect(Object.keys(tab)).toEqual(['other'])
  })
})
