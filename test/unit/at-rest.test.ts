import { afterEach, describe, expect, it, vi } from 'vitest'
import { browserPlatform } from '../../src/browser.ts'
import { SECRET, secretDigest } from '../../src/secret.ts'
import { createRecords } from '../../src/store/fallback.ts'
import type { Page } from '../support/world/page.ts'
import { order, Shop } from './shop.ts'
import { TokenShop, tokenProfile } from './token-shop.ts'

const DAY_MS = 86_400_000

afterEach(() => vi.unstubAllGlobals())

/** Everything that lies in the store, as text. */
function atRest({ records }: Pick<Shop, 'records'>): string {
  return JSON.stringify(records.records(), (_, value: unknown) =>
    value instanceof Uint8Array ? new TextDecoder().decode(value) : value,
  )
}

/** A shop that looks at its store after every commit. */
function watched(): { shop: Shop; seen: string[] } {
  const shop = new Shop()
  const seen: string[] = []
  shop.world.at = ({ kind }) => {
    if (kind === 'stored') seen.push(atRest(shop))
  }
  return { shop, seen }
}

describe('guardHeaders', () => {
  it('go with every attempt of their turn, and lie nowhere at any time', async () => {
    const { shop, seen } = watched()
    const sent: (string | null)[] = []
    const { server } = shop.world
    shop.world.server = request => {
      sent.push(request.headers.get('x-csrf'))
      return server(request)
    }
    const { client } = shop.open()
    shop.server.next('lose-reply')
    const guardHeaders = { 'x-csrf': 'guard-of-this-page' }
    await shop.ending(client.submit('checkout', { ...order(), guardHeaders }))
    await shop.world.settle()
    expect(sent).toEqual(['guard-of-this-page', 'guard-of-this-page'])
    expect(seen.length).toBeGreaterThan(2)
    expect(seen.join()).not.toContain('guard-of-this-page')
  })

  it('are not compared: the same submit with another guard is the same', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', { ...order(), guardHeaders: { 'x-csrf': 'one' } }))
    const outcome = await shop.ending(
      client.submit('checkout', { ...order(), guardHeaders: { 'x-csrf': 'two' } }),
    )
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay', attempts: 2 })
    expect(shop.keys).toHaveLength(1)
  })

  it('are not there after a reload: what goes on then goes without them', async () => {
    const shop = new Shop()
    const sent: (string | null)[] = []
    const { server } = shop.world
    shop.world.server = request => {
      sent.push(request.headers.get('x-csrf'))
      return server(request)
    }
    const { client, page } = shop.open()
    shop.server.next('hang')
    void client.submit('checkout', { ...order(), guardHeaders: { 'x-csrf': 'one' } })
    await shop.arrivals(1)
    const next = shop.open({}, page.reload())
    await shop.ending(next.client.operation('checkout').resume())
    expect(sent).toEqual(['one', null])
  })
})

describe('what is at rest of an order', () => {
  it('is its address, headers and body until it settles, then no body', async () => {
    const { shop, seen } = watched()
    const { client } = shop.open()
    const request = { ...order({ item: 'a-private-book' }), headers: { 'x-note': 'a-note' } }
    await shop.ending(client.submit('checkout', request))
    await shop.world.settle()
    expect(seen[0]).toContain('a-private-book')
    expect(seen[0]).toContain('a-note')
    expect(seen[0]).toContain(order().url)
    const phase = shop.stored()?.phase as { answer?: unknown } | undefined
    expect(
      JSON.stringify({ ...shop.stored(), phase: { ...phase, answer: undefined } }),
    ).not.toContain('a-private-book')
  })

  it('of its answer are status, body and nine headers, of which none is a credential', async () => {
    const shop = new Shop()
    shop.world.server = async () =>
      new Response('"the answer"', {
        status: 201,
        headers: {
          'content-type': 'application/json',
          etag: '"7"',
          'www-authenticate': 'Bearer secret-1',
          'x-session': 'secret-2',
          'set-cookie': 'session=secret-3',
        },
      })
    const { client } = shop.open()
    await shop.ending(client.submit('checkout', order()))
    await shop.world.settle()
    expect(shop.stored()?.phase).toMatchObject({
      answer: {
        status: 201,
        headers: [
          ['content-type', 'application/json'],
          ['etag', '"7"'],
        ],
      },
    })
    expect(atRest(shop)).toContain('the answer')
    expect(atRest(shop)).not.toContain('secret')
  })

  it('is a one-time token until the order settles, and not after', async () => {
    const shop = new TokenShop()
    const { client } = shop.open(tokenProfile(), { retry: { maxAttempts: 1 } })
    shop.trouble.order.push('fail')
    await shop.ending(client.submit('checkout', { url: order().url, json: { item: 'book' } }))
    const stored = () => shop.records.records()[0]?.[1]
    expect(stored()).toMatchObject({ token: { value: 'token-1' } })
    await shop.ending(client.operation('checkout').resume())
    await shop.world.settle()
    expect(stored()).toMatchObject({ phase: { is: 'succeeded' } })
    expect((stored() as { token?: unknown }).token).toBeUndefined()
  })

  it('goes by time for whoever is signed in, and waits for everybody else to come back', async () => {
    const shop = new Shop()
    const session = { who: 'ada' }
    const open = (page?: Page) =>
      shop.open({ scope: () => session.who, retry: { maxAttempts: 1 } }, page)
    const { client, page } = open()
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', order({ item: 'a-private-book' })))
    session.who = 'bob'
    await shop.world.wait(90 * DAY_MS)
    const bob = open(page.reload())
    await shop.world.wait(60_000)
    expect(atRest(shop)).toContain('a-private-book')
    session.who = 'ada'
    open(bob.page.reload())
    await shop.world.wait(60_000)
    expect(shop.records.records()).toEqual([])
  })
})

describe('a sensitive order', () => {
  it('has its address and its headers stored: nothing private belongs there', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const request = {
      url: `${order().url}?for=a-private-name`,
      json: { card: '4242' },
      headers: { 'x-note': 'a-private-note' },
      sensitive: true,
    }
    await shop.ending(client.submit('checkout', request))
    await shop.world.settle()
    expect(atRest(shop)).toContain('a-private-name')
    expect(atRest(shop)).toContain('a-private-note')
    expect(atRest(shop)).not.toContain('4242')
  })

  it('on plain http has the fingerprint of any other: it tells a short body to whoever tries', async () => {
    const fingerprints = await Promise.all(
      [true, false].map(async sensitive => {
        const shop = new Shop()
        const { client } = shop.open({}, { secure: false })
        await shop.ending(client.submit('checkout', { ...order(), sensitive }))
        return (shop.stored()?.request as { fingerprint: string } | undefined)?.fingerprint
      }),
    )
    expect(new Set(fingerprints).size).toBe(1)
  })

  it('is fingerprinted under a key that no script can read out', async () => {
    const platform = browserPlatform()
    const records = createRecords(undefined, platform.notes, 'memory', () => {})
    await secretDigest(platform, records, 'default', 'ada')(new Uint8Array(1))
    const { secret: key } = (await records.read(['default', 'ada', SECRET])) as {
      secret: CryptoKey
    }
    expect(key.extractable).toBe(false)
    await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow(/not extractable/)
  })
})

describe('signing out', () => {
  it('leaves a sensitive order to be known again: the key of its fingerprint stays', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    const request = { ...order(), sensitive: true }
    shop.server.next('lose-reply')
    const first = await shop.ending(client.submit('checkout', request))
    expect(await shop.ending(client.forget())).toEqual({ unknown: 1 })
    const again = await shop.ending(client.submit('checkout', request))
    expect(again).toMatchObject({ state: 'succeeded', from: 'replay', key: first.key })
  })

  it('here or in another tab takes what was typed along', async () => {
    for (const where of ['here', 'there']) {
      const tab = { 'sendonce:draft:checkout': '{"entries":[]}', 'app:theme': 'dark' }
      Object.defineProperty(tab, 'removeItem', {
        value: (name: string) => Reflect.deleteProperty(tab, name),
      })
      vi.stubGlobal('sessionStorage', tab)
      const shop = new Shop()
      const { client } = shop.open()
      const other = shop.world.page().platform.channel('sendonce:default', () => {})
      if (where === 'here') await shop.ending(client.forget())
      else other.post({ scope: 'ada', forgotten: true })
      await shop.world.settle()
      expect(tab).toEqual({ 'app:theme': 'dark' })
    }
  })
})

describe('beside the records', () => {
  it('tabs tell each other whose operation has moved, by its name and when, and nothing of it', async () => {
    const shop = new Shop()
    const heard: unknown[] = []
    shop.world.page().platform.channel('sendonce:default', message => heard.push(message))
    const { client } = shop.open()
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', order()))
    await shop.ending(client.forget())
    await shop.world.settle()
    const messages = new Set(
      heard.map(message => {
        const { sentAt, ...said } = message as { sentAt: unknown }
        expect(sentAt).toBeTypeOf('number')
        return JSON.stringify(said)
      }),
    )
    expect(messages).toEqual(
      new Set(['{"scope":"ada","operation":"checkout"}', '{"scope":"ada","forgotten":true}']),
    )
  })

  it('notes say that records may be there, and until when a hidden page has a request on its way', async () => {
    const shop = new Shop()
    const notes: (string | undefined)[][] = []
    const page = shop.world.page()
    const { set } = page.platform.notes
    Object.assign(page.platform.notes, {
      set: (name: string, value: string | undefined) => {
        notes.push([name, value])
        set(name, value)
      },
    })
    const { client } = shop.open({}, page)
    shop.server.next('hang')
    void client.submit('checkout', order())
    await shop.arrivals(1)
    page.hide()
    expect(notes.map(([name]) => name)).toEqual(['sendonce', 'sendonce:cached'])
    expect(notes[0]?.[1]).toBe('1')
    expect(Object.values(JSON.parse(notes[1]?.[1] ?? ''))).toEqual([
      { leaseUntil: expect.any(Number), leaseMs: 31_000 },
    ])
  })
})
