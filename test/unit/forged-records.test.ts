import ky from 'ky'
import type { ClientOptions, KyLike, RecordKey } from 'sendonce'
import { idempotencyKey } from 'sendonce'
import { describe, expect, it } from 'vitest'
import type { Answer, OperationRecord } from '../../src/record.ts'
import { recordOf, succeeded } from './records.ts'
import type { Tab } from './shop.ts'
import { nameOf, ORDERS, order, Shop, watch } from './shop.ts'

const AT: RecordKey = ['default', 'ada', 'checkout']

/** What another script can write: whatever looks like a record. */
type Forged = Partial<Omit<OperationRecord, 'request'>> & {
  readonly request?: Partial<OperationRecord['request']>
}

/** A shop in whose store another script has left a record, and every request that a page sent since. */
interface Scene extends Tab {
  readonly shop: Shop
  /** Method, address and `Authorization` of what left. */
  readonly left: readonly string[]
}

async function forge(
  { request, ...changes }: Forged,
  { at = AT, ...options }: Partial<ClientOptions> & { readonly at?: RecordKey } = {},
): Promise<Scene> {
  const shop = new Shop()
  const left: string[] = []
  shop.world.server = async ({ method, url, headers }) => {
    left.push(`${method} ${url} ${headers.get('authorization') ?? ''}`.trim())
    return Response.json({ id: 1 })
  }
  const now = shop.world.now()
  const base = recordOf({
    profile: idempotencyKey().id,
    startedAt: now,
    firstSentAt: now,
    phase: { is: 'unknown', reason: 'interrupted' },
  })
  const record = { ...base, ...changes, request: { ...base.request, ...request } }
  await shop.records.change(at, () => ({ keep: record, result: undefined }))
  return { shop, left, ...shop.open(options) }
}

/** Everything that goes on with a record without being given its body. */
async function goOn({ shop, client }: Scene): Promise<void> {
  const handle = client.operation('checkout')
  for (const run of [() => client.resumeAll(), () => handle.resume(), () => client.unsettled()]) {
    watch<unknown>(run())
    await shop.world.settle()
  }
}

/** An app whose hook signs every request. */
const signing = ky.create({
  hooks: {
    beforeRequest: [({ request }) => request.headers.set('authorization', 'Bearer ada')],
  },
}) as KyLike

describe('a record that another script has written', () => {
  it.each<readonly [string, Forged]>([
    [
      'whose address is of another origin than its own',
      { origin: 'http://shop.test', request: { url: 'http://evil.test/' } },
    ],
    [
      'whose outcome is to be asked for at another origin',
      { origin: 'http://shop.test', poll: 'http://evil.test/jobs/1' },
    ],
    ['whose address carries a password', { request: { url: 'http://ada:secret@shop.test/' } }],
    ['whose address has no scheme', { request: { url: '//evil.test/api/orders' } }],
    ['whose address is none', { request: { url: 'http://' } }],
    ['whose method no page may send', { request: { method: 'CONNECT' } }],
    ['with a header in a header', { request: { headers: { 'x-note': 'a\r\nx-more: b' } } }],
    ['with a key that no header can carry', { key: 'first\r\nkey' }],
    ['of a profile that is not registered', { profile: 'evil' }],
    ['with a lifetime that is over', { ttlMs: -1 }],
  ])('%s sends nothing', async (_, forged) => {
    const scene = await forge(forged, { ky: signing })
    await goOn(scene)
    expect(scene.left).toEqual([])
  })

  it('of another person, another client or another name is neither shown nor sent', async () => {
    const elsewhere: RecordKey[] = [
      ['default', 'bob', 'checkout'],
      ['other', 'ada', 'checkout'],
      ['default', 'ada', 'pay'],
    ]
    for (const at of elsewhere) {
      const scene = await forge({}, { at })
      const handle = scene.client.operation('checkout')
      handle.subscribe(() => {})
      await scene.shop.world.settle()
      expect(nameOf(handle.getSnapshot())).toBe('idle')
      const resumed = watch(handle.resume())
      await scene.shop.world.settle()
      expect(resumed.error).toMatchObject({ code: 'invalid-argument' })
      expect(scene.left).toEqual([])
    }
  })

  it('with a body of its own is not what a click sends: that is payload-changed', async () => {
    const { shop, client, left } = await forge({ request: { url: 'http://evil.test/' } })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(sent.error).toMatchObject({ code: 'payload-changed' })
    expect(left).toEqual([])
  })

  it('that claims to be sent by a tab for ever is outwaited by nobody, and sends nothing', async () => {
    const { shop, client, left } = await forge({
      phase: { is: 'sending', owner: 'nobody', locked: false, leaseUntil: 9e15, leaseMs: 9e15 },
    })
    const outcome = await shop.ending(client.operation('checkout').resume())
    expect(nameOf(outcome)).toBe('unknown:deadline')
    expect(left).toEqual([])
  })

  it('that claims to be sent by a tab that is not there is nobody’s', async () => {
    const { shop, client } = await forge({
      phase: { is: 'sending', owner: 'nobody', locked: true, leaseUntil: 9e15, leaseMs: 9e15 },
    })
    expect(await shop.ending(client.unsettled())).toMatchObject([
      { snapshot: { state: 'unknown', reason: 'interrupted' } },
    ])
  })

  it('with members named __proto__ changes no object but itself', async () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"polluted":1},"headers":{"__proto__":"x","x-a":"b"}}',
    )
    const scene = await forge({
      ...(hostile as object),
      request: { headers: (hostile as { headers: Record<string, string> }).headers },
    })
    await goOn(scene)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    expect(scene.left).toHaveLength(1)
  })

  it('of 10 MB is sent once, and leaves no body behind', async () => {
    const bytes = new Uint8Array(10 * 1024 * 1024)
    const scene = await forge({ request: { body: { kept: true, bytes } } })
    await goOn(scene)
    expect(scene.left).toEqual([`POST ${ORDERS}`])
    expect(scene.shop.stored()?.request).toMatchObject({ body: { kept: false } })
  })

  it('says what it likes about itself, and is believed: the store is as good as the page’s scripts', async () => {
    const at = new Shop().world.now()
    const { shop, client, left } = await forge({
      phase: {
        is: 'succeeded',
        at,
        answer: {
          status: 200,
          headers: [['content-type', 'application/json']],
          body: new TextEncoder().encode('{"id":"forged"}'),
        },
        from: 'reply',
        bodyLost: false,
      },
    })
    const outcome = await shop.ending(client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', data: { id: 'forged' }, from: 'store' })
    expect(left).toEqual([])
  })

  it('that is of one piece is sent where it says, through the hooks of the app', async () => {
    const scene = await forge({ request: { url: 'http://evil.test/' } }, { ky: signing })
    await goOn(scene)
    expect(scene.left).toEqual(['POST http://evil.test/ Bearer ada'])
  })

  it('sends no cookies to another origin, unless the app’s ky says so', async () => {
    const scene = await forge({ request: { url: 'http://evil.test/' } })
    const seen: RequestCredentials[] = []
    const { fetch: send } = scene.page.platform
    scene.page.platform.fetch = (input, init) => {
      seen.push((input as Request).credentials)
      return send(input, init)
    }
    await goOn(scene)
    expect(seen).toEqual(['same-origin'])
  })
})

describe('a message of another script', () => {
  it.each<readonly [string, unknown]>([
    ['a text', 'hello'],
    ['nothing', null],
    ['a list', [1]],
    ['numbers', { scope: 1, operation: 2 }],
    ['an operation of somebody else', { scope: 'bob', operation: 'checkout' }],
    ['an operation', { scope: 'ada', operation: 'checkout' }],
    ['a prototype', JSON.parse('{"__proto__":{"scope":"ada","forgotten":true}}')],
  ])('%s makes a page send nothing earlier', async (_, message) => {
    const shop = new Shop()
    const { client } = shop.open()
    const other = shop.world.page().platform.channel('sendonce:default', () => {})
    shop.server.next({ is: 'status', status: 503, retryAfter: 60 })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.wait(1_000)
    for (let n = 0; n < 5; n += 1) {
      other.post(message)
      await shop.world.wait(1_000)
    }
    expect(shop.log).toHaveLength(1)
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded', attempts: 2 })
  })

  it('that somebody has signed out stops their waiting, and loses no key', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const other = shop.world.page().platform.channel('sendonce:default', () => {})
    shop.server.next('lose-reply')
    const sent = watch(client.submit('checkout', order()))
    await shop.world.run(() => shop.stored()?.phase !== undefined && shop.log.length === 1)
    other.post({ scope: 'ada', forgotten: true })
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown' })
    const again = await shop.ending(client.submit('checkout', order()))
    expect(again).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })
})

describe('a note of another script', () => {
  it.each(['hello', 'null', '[]', '{"A":null}', '{"A":{"leaseUntil":9e15,"leaseMs":9e15}}'])(
    '%s keeps no order from being placed once',
    async note => {
      const shop = new Shop()
      const { client, page } = shop.open()
      page.platform.notes.set('sendonce:cached', note)
      shop.server.next('lose-reply')
      const outcome = await shop.ending(client.submit('checkout', order()))
      expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
      expect(shop.placed).toBe(1)
    },
  )
})

describe('a record that this library never wrote', () => {
  it.each<readonly [string, object]>([
    ['an outcome at another origin', { poll: 'http://evil.test/jobs/1' }],
    [
      'an outcome at another origin, tried before',
      { poll: 'http://evil.test/', ambiguous: 2, attempt: 2 },
    ],
    ['an outcome in its own address', { poll: 'data:application/json,{}' }],
    ['a relative outcome', { poll: 'jobs/1' }],
    ['an address that answers itself', { request: { url: 'data:application/json,{"id":666}' } }],
    ['a key that goes nowhere', { place: {} }],
    ['a place that is a list', { place: [] }],
    ['a key between all characters', { place: { path: '' } }],
    ['two places', { place: { header: 'a', query: 'b' } }],
    ['a GET', { request: { method: 'GET', body: { kept: true } } }],
    ['somebody’s Authorization', { request: { headers: { Authorization: 'Bearer evil' } } }],
    ['somebody’s cookies', { request: { headers: { cookie: 'session=evil' } } }],
  ])('%s: nothing is sent', async (_, forged) => {
    const { shop, client, left } = await forge(forged, { ky: signing })
    for (const run of [() => client.resumeAll(), () => client.operation('checkout').resume()]) {
      watch<unknown>(run())
      await shop.world.settle()
    }
    expect(left).toEqual([])
  })

  it('whose key is to go into the host goes to no other host', async () => {
    const { shop, client, left } = await forge({ place: { path: 'shop' }, key: 'evil' })
    watch(client.operation('checkout').resume())
    await shop.world.settle()
    expect(left).toEqual(['POST http://shop.test/api/orders'])
  })

  it.each<readonly [string, object]>([
    ['a header that is none', { status: 200, headers: [['a']] }],
    ['a header that no response can have', { status: 200, headers: [['a b', 'c']] }],
  ])('with %s is unreadable', async (_, answer) => {
    const { shop, client } = await forge({ phase: { ...succeeded(), answer: answer as Answer } })
    const resumed = watch(client.operation('checkout').resume())
    await shop.world.settle()
    expect(resumed.error).toMatchObject({ name: 'SendonceError' })
  })

  it('with a status that no response can be made with is told', async () => {
    const { shop, client } = await forge({
      phase: { ...succeeded(), answer: { status: 42, headers: [] } },
    })
    const outcome = await shop.ending(client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', response: { status: 42 } })
  })
})
