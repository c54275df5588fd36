import { describe, expect, it } from 'vitest'
import { nameOf, statesOf, watch } from './shop.ts'
import { LIFETIME_MS, ORDERS, order, short, TokenShop, tokenProfile } from './token-shop.ts'

describe('a one-time token', () => {
  it('is fetched after the gate, written down and sent', async () => {
    const shop = new TokenShop()
    const { client, events } = shop.open(tokenProfile())
    const states = statesOf(client)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 1, key: undefined })
    expect(shop.log).toEqual(['GET /api/token', 'POST /api/orders token-1'])
    expect(states).toEqual(['idle', 'sending', 'preparing', 'sending', 'succeeded'])
    expect(events.map(({ type }) => type)).toEqual([
      'claimed',
      'token-fetched',
      'sent',
      'answered',
      'succeeded',
    ])
    expect(JSON.stringify(events)).not.toContain('token-1')
  })

  it('is on disk before it leaves', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile())
    shop.trouble.order.push('hang')
    void client.submit('checkout', order())
    const stored: unknown[] = []
    shop.world.at = point => {
      if (point.kind === 'send') stored.push(shop.records.records().map(([, record]) => record))
    }
    await shop.world.run(() => shop.carried.length === 1)
    expect(stored.at(-1)).toMatchObject([{ token: { value: 'token-1' }, ambiguous: 1 }])
  })

  it.each(['lose-reply', 'lose-request', 'fail'] as const)(
    'is sent again as it is after %s, and no other is fetched',
    async trouble => {
      const shop = new TokenShop()
      const { client } = shop.open(tokenProfile())
      shop.trouble.order.push(trouble)
      const outcome = await shop.ending(client.submit('checkout', order()))
      expect(short(outcome)).toBe(trouble === 'lose-reply' ? 'unknown:token-spent' : 'succeeded')
      expect(shop.issued).toEqual(['token-1'])
      expect(shop.carried).toEqual(['token-1'])
      expect(shop.orders).toHaveLength(1)
    },
  )

  it('that is spent on a first attempt leaves nothing known: the browser may have sent it twice', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile())
    void shop.ending(client.operation('checkout').prepare())
    await shop.world.run(() => shop.issued.length === 1)
    shop.tokens.clear()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(short(outcome)).toBe('unknown:token-spent')
    expect(shop.issued).toEqual(['token-1'])
  })

  it('that has expired is exchanged only where the server tells it from a used one', async () => {
    for (const [tells, expected] of [
      [true, 'succeeded'],
      [false, 'unknown:token-spent'],
    ] as const) {
      const shop = new TokenShop()
      shop.tells = tells
      const { client } = shop.open(tokenProfile())
      shop.trouble.order.push('busy')
      const sent = watch(client.submit('checkout', order()))
      await shop.world.run(() => shop.carried.length === 1)
      for (const token of shop.tokens.keys()) shop.tokens.set(token, 0)
      await shop.world.settle()
      expect(short(sent.value as never)).toBe(expected)
      expect(shop.carried).toEqual(tells ? ['token-1', 'token-2'] : ['token-1'])
      expect(shop.orders).toHaveLength(tells ? 1 : 0)
    }
  })

  it('that was used is not exchanged, though the server would tell', async () => {
    const shop = new TokenShop()
    shop.tells = true
    const { client } = shop.open(tokenProfile())
    shop.trouble.order.push('lose-reply')
    expect(short(await shop.ending(client.submit('checkout', order())))).toBe('unknown:token-spent')
    expect(short(await shop.ending(client.operation('checkout').resume()))).toBe(
      'unknown:token-spent',
    )
    expect(shop.issued).toHaveLength(1)
    expect(shop.orders).toHaveLength(1)
  })

  it.each(['fail', 'lose-request', 'hang'] as const)(
    'that cannot be had (%s) pauses: nothing was sent',
    async trouble => {
      const shop = new TokenShop()
      const { client } = shop.open(tokenProfile())
      shop.trouble.token.push(trouble)
      const outcome = await shop.ending(client.submit('checkout', order()))
      expect(outcome).toMatchObject({
        state: 'paused',
        reason: 'token',
        attempts: 0,
        cause: expect.anything(),
      })
      expect(shop.log).toEqual(['GET /api/token'])
      const again = await shop.ending(client.submit('checkout', order()))
      expect(again).toMatchObject({ state: 'succeeded' })
      expect(shop.orders).toHaveLength(1)
    },
  )

  it('is waited for while offline, and fetched when the network returns', async () => {
    const shop = new TokenShop()
    const { client, page } = shop.open(tokenProfile())
    page.offline()
    const states = statesOf(client)
    const sent = watch(client.submit('checkout', order()))
    await shop.world.wait(1_000)
    expect(states.at(-1)).toBe('waiting:offline')
    page.online()
    await shop.world.run(() => sent.value !== undefined)
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.orders).toHaveLength(1)
  })

  it('found being fetched at load counts as idle, and any body may be submitted', async () => {
    const shop = new TokenShop()
    const { client, page } = shop.open(tokenProfile())
    shop.trouble.token.push('hang')
    void client.submit('checkout', order())
    await shop.world.run(() => shop.log.length === 1)
    const next = shop.open(tokenProfile(), {}, page.reload())
    expect(await shop.ending(next.client.unsettled())).toEqual([])
    expect(next.client.operation('checkout').getSnapshot()).toMatchObject({ state: 'idle' })
    const outcome = await shop.ending(next.client.submit('checkout', order({ item: 'pen' })))
    expect(outcome).toMatchObject({ state: 'succeeded' })
    expect(shop.orders).toMatchObject([{ body: '{"item":"pen"}' }])
  })

  it('is fetched by one of two tabs, the other waits', async () => {
    const shop = new TokenShop()
    const tabs = [shop.open(tokenProfile()), shop.open(tokenProfile())]
    const outcomes = await shop.ending(
      Promise.all(tabs.map(({ client }) => client.submit('checkout', order()))),
    )
    expect(outcomes.map(short)).toEqual(['succeeded', 'succeeded'])
    expect(shop.issued).toHaveLength(1)
    expect(shop.orders).toHaveLength(1)
  })

  it('does not let another body in while another tab fetches it', async () => {
    const shop = new TokenShop()
    const one = shop.open(tokenProfile())
    const other = shop.open(tokenProfile())
    shop.trouble.token.push('hang')
    void one.client.submit('checkout', order())
    await shop.world.run(() => shop.log.length === 1)
    await expect(
      shop.ending(other.client.submit('checkout', order({ item: 'pen' }))),
    ).rejects.toMatchObject({ code: 'payload-changed' })
    expect(shop.orders).toEqual([])
  })

  it('of a page that died while it fetched is fetched anew by the tab that waits', async () => {
    const shop = new TokenShop()
    const one = shop.open(tokenProfile())
    const other = shop.open(tokenProfile())
    shop.trouble.token.push('hang')
    void one.client.submit('checkout', order())
    await shop.world.run(() => shop.log.length === 1)
    const sent = watch(other.client.submit('checkout', order()))
    await shop.world.wait(300)
    one.page.kill()
    await shop.world.run(() => sent.value !== undefined)
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.orders).toHaveLength(1)
  })

  it('that comes after its operation was discarded is not sent', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile())
    const sent = watch(client.submit('checkout', order()))
    shop.world.at = point => {
      if (point.kind === 'send') void client.operation('checkout').discard()
    }
    await shop.world.settle()
    expect(sent.error).toMatchObject({ code: 'aborted' })
    expect(shop.carried).toEqual([])
    expect(nameOf(client.operation('checkout').getSnapshot())).toBe('idle')
  })

  it('goes into the query, the body or the path as the profile says', async () => {
    for (const [place, url, seen] of [
      [
        { query: 'token' },
        `${ORDERS}?a=1`,
        { query: '?a=1&token=token-1', body: '{"item":"book"}' },
      ],
      [{ body: '/meta/token' }, ORDERS, { query: '', body: '{"meta":{"token":"token-1"}}' }],
      [{ path: '{token}' }, `${ORDERS}/{token}`, { path: '/api/orders/token-1' }],
    ] as const) {
      const shop = new TokenShop()
      const rules = tokenProfile().token
      if (!rules) throw new TypeError()
      const { client } = shop.open(tokenProfile({ token: { ...rules, place } }))
      const got: { query: string; path: string; body: string }[] = []
      const { server } = shop.world
      shop.world.server = async request => {
        const { pathname, search } = new URL(request.url)
        if (pathname === '/api/token') return server(request)
        got.push({ query: search, path: pathname, body: await request.text() })
        return Response.json({}, { status: 201 })
      }
      const json = 'body' in place ? { meta: {} } : { item: 'book' }
      await shop.ending(client.submit('checkout', { url, json }))
      expect(got).toMatchObject([seen])
    }
  })
})

describe('prepare()', () => {
  it('fetches ahead, so that the submit sends at once', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile())
    await shop.ending(client.operation('checkout').prepare())
    expect(shop.log).toEqual(['GET /api/token'])
    const states = statesOf(client)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded' })
    expect(states).not.toContain('preparing')
    expect(shop.log).toEqual(['GET /api/token', 'POST /api/orders token-1'])
  })

  it('called twice fetches one, and a submit meanwhile waits for that', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile())
    const handle = client.operation('checkout')
    const ahead = Promise.all([handle.prepare(), handle.prepare()])
    const outcome = await shop.ending(handle.submit(order()))
    await shop.ending(ahead)
    expect(outcome).toMatchObject({ state: 'succeeded' })
    expect(shop.issued).toHaveLength(1)
  })

  it('fetches another when the lifetime has run out before the first send', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile())
    await shop.ending(client.operation('checkout').prepare())
    await shop.world.wait(LIFETIME_MS)
    await shop.ending(client.submit('checkout', order()))
    expect(shop.carried).toEqual(['token-2'])
    expect(shop.orders).toHaveLength(1)
    await shop.ending(client.operation('other').prepare())
    await shop.world.wait(LIFETIME_MS)
    await shop.ending(client.operation('other').prepare())
    expect(shop.issued).toHaveLength(4)
  })

  it('that fails rejects, and the submit asks again', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile())
    shop.trouble.token.push('fail')
    const handle = client.operation('checkout')
    await expect(shop.ending(handle.prepare())).rejects.toMatchObject({ code: 'not-sent' })
    expect(await shop.ending(handle.submit(order()))).toMatchObject({ state: 'succeeded' })
    expect(shop.orders).toHaveLength(1)
  })

  it('gives one token to one operation', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile())
    await shop.ending(client.operation('a').prepare())
    await shop.ending(Promise.all([client.submit('a', order()), client.submit('b', order())]))
    expect(new Set(shop.carried)).toEqual(new Set(['token-1', 'token-2']))
    expect(shop.orders).toHaveLength(2)
  })
})
