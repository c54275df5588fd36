import { createMockServer } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { fakeClock } from './clock.ts'
import { openFace, order, until } from './faces.ts'

async function open(options: Parameters<typeof createMockServer>[0] = {}) {
  const clock = fakeClock()
  const server = createMockServer({ now: clock.now, timer: clock.timer, ...options })
  return { clock, server, face: await openFace.direct(server) }
}

describe('the dedupe table', () => {
  it('answers a repeat with the first answer, and says so', async () => {
    const { server, face } = await open()
    const first = await order(face)
    const second = await order(face)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(await second.text()).toBe(await first.text())
    expect(first.headers.has('idempotent-replayed')).toBe(false)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(server.ledger()).toHaveLength(1)
  })

  it('places one order for fifty requests at once with one key', async () => {
    const { clock, server, face } = await open({ workMs: 100 })
    const sending = Array.from({ length: 50 }, () => order(face))
    await until(server, () => server.log().filter(row => row.reply.is !== 'none').length === 49)
    await clock.waitedFor()
    clock.advance(100)
    const statuses = (await Promise.all(sending)).map(response => response.status)
    expect(statuses.filter(status => status === 201)).toHaveLength(1)
    expect(statuses.filter(status => status === 409)).toHaveLength(49)
    expect(server.ledger()).toHaveLength(1)
  })

  it('places one order for fifty requests at once when work takes no time', async () => {
    const { server, face } = await open()
    const answers = await Promise.all(Array.from({ length: 50 }, () => order(face)))
    expect(new Set(await Promise.all(answers.map(answer => answer.text()))).size).toBe(1)
    expect(server.ledger()).toHaveLength(1)
  })

  it('asks for a key', async () => {
    const { server, face } = await open()
    const response = await order(face, { key: '' })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toMatchObject({
      status: 400,
      title: 'Idempotency-Key is missing',
    })
    expect(server.ledger()).toHaveLength(0)
  })

  it('refuses a key that comes with another body, also while the first is in flight', async () => {
    const { clock, server, face } = await open({ workMs: 100 })
    const first = order(face)
    await clock.waitedFor()
    const other = await order(face, { json: { item: 'coffee' } })
    expect(await other.json()).toMatchObject({
      status: 422,
      title: 'Idempotency-Key is already used',
    })
    clock.advance(100)
    expect((await first).status).toBe(201)
    expect((await order(face, { json: { item: 'coffee' } })).status).toBe(422)
    expect(server.ledger().map(({ item }) => item)).toEqual(['tea'])
  })

  it('says that a request is in flight, and how long it will be', async () => {
    const { clock, face } = await open({ workMs: 2_500 })
    const first = order(face)
    await clock.waitedFor()
    const second = await order(face)
    expect(second.headers.get('retry-after')).toBe('3')
    expect(await second.json()).toMatchObject({
      status: 409,
      title: 'A request is outstanding for this Idempotency-Key',
    })
    clock.advance(2_500)
    await first
  })

  it('keeps the keys of two people apart', async () => {
    const { server, face } = await open()
    await order(face, { headers: { authorization: 'Bearer ann' } })
    await order(face, { headers: { cookie: 'theme=dark; session=bob' } })
    expect(server.ledger().map(({ principal }) => principal)).toEqual(['ann', 'bob'])
  })

  it('executes again when the key has expired', async () => {
    const { clock, server, face } = await open({ keyTtlMs: 1_000 })
    await order(face)
    clock.advance(999)
    await order(face)
    expect(server.ledger()).toHaveLength(1)
    clock.advance(1)
    await order(face)
    expect(server.ledger()).toHaveLength(2)
  })
})

describe('work that takes time', () => {
  it('is completed by whoever looks next, when the page that began it is gone', async () => {
    const { clock, server, face } = await open({ workMs: 1_000 })
    const page = new AbortController()
    const sent = order(face, { signal: page.signal })
    await clock.waitedFor()
    page.abort()
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
    expect(server.keys()[0]).toMatchObject({ status: 'processing', finishesAt: 1_000 })
    clock.advance(5_000)
    expect(server.ledger()).toMatchObject([{ at: 1_000, delivery: 1 }])
    expect(server.keys()[0]?.status).toBe('done')
  })

  it('is lost with everything else by a reset', async () => {
    const { clock, server, face } = await open({ workMs: 1_000 })
    const sent = order(face)
    await clock.waitedFor()
    server.reset()
    clock.advance(1_000)
    await expect(sent).rejects.toThrow(TypeError)
    expect(server.ledger()).toHaveLength(0)
  })
})

describe('an order', () => {
  it('is placed each time by a route that does without keys', async () => {
    const { server, face } = await open()
    await order(face, { key: '', path: '/api/plain/orders' })
    await order(face, { key: '', path: '/api/plain/orders' })
    expect(server.ledger({ shop: '/api/plain/orders' })).toHaveLength(2)
  })

  it('is found in the ledger by key, shop and operation', async () => {
    const { server, face } = await open()
    await order(face, { key: 'a', json: { shop: 'left', operation: 'checkout:1', item: 'tea' } })
    await order(face, { key: 'b', headers: { 'x-shop': 'right', 'x-operation': 'checkout:2' } })
    expect(server.ledger({ key: 'a' })).toMatchObject([{ shop: 'left', item: 'tea' }])
    expect(server.ledger({ shop: 'right' })).toMatchObject([{ key: 'b', amount: 3 }])
    expect(server.ledger({ operation: 'checkout:2' })).toHaveLength(1)
    expect(server.ledger({ operation: 'checkout:2', shop: 'left' })).toHaveLength(0)
  })

  it.each([
    [true, 422],
    [false, 201],
  ])(
    'that is refused is remembered (%s), so the same key with the same body hears %i',
    async (storeRefusals, expected) => {
      let open422 = true
      const validate = () => (open422 ? 'The shop is closed.' : undefined)
      const { server, face } = await open({
        storeRefusals,
        routes: { '/api/orders': { validate } },
      })
      expect((await order(face)).status).toBe(422)
      expect(server.ledger()).toHaveLength(0)
      open422 = false
      expect((await order(face)).status).toBe(expected)
    },
  )

  it('without an address is invalid, and the corrected one is placed under a new key', async () => {
    const { server, face } = await open()
    const refused = await order(face, { key: 'a', json: { item: 'tea', address: ' ' } })
    expect(await refused.json()).toMatchObject({ status: 422, title: 'Invalid order' })
    await order(face, { key: 'b', json: { item: 'tea', address: 'Main Street 1' } })
    expect(server.ledger()).toMatchObject([{ key: 'b' }])
  })

  it('of somebody who is signed out is answered 401 and takes no key', async () => {
    const { server, face } = await open()
    const headers = { cookie: 'session=signed-out' }
    expect((await order(face, { headers })).status).toBe(401)
    expect(server.keys()).toHaveLength(0)
    expect((await order(face)).status).toBe(201)
  })

  it('is answered as its route says', async () => {
    const reply = ({ id }: { id: string }) => ({ data: { orderNumber: id } })
    const { face } = await open({ routes: { '/checkout': { reply } } })
    const response = await order(face, { path: '/checkout' })
    expect(await response.json()).toEqual({ data: { orderNumber: 'order-1' } })
  })

  it('may be a form, and must be JSON where it says so', async () => {
    const { server, face } = await open()
    const form = { method: 'POST', headers: { 'idempotency-key': 'a' } }
    await face.fetch('/api/orders', { ...form, body: new URLSearchParams({ item: 'tea' }) })
    expect(server.ledger()).toMatchObject([{ item: 'tea' }])
    const headers = { 'idempotency-key': 'b', 'content-type': 'application/json' }
    const response = await face.fetch('/api/orders', { method: 'POST', headers, body: '{' })
    expect(response.status).toBe(400)
  })
})

describe('asking what happened', () => {
  it.each(['/api/orders/by-key/a%20b', '/api/orders?key=a%20b'])('at %s tells it', async path => {
    const { clock, face } = await open({ workMs: 100 })
    const ask = async () => (await face.fetch(path)).json()
    expect(await ask()).toEqual({ state: 'unknown' })
    const sent = order(face, { key: 'a b' })
    await clock.waitedFor()
    expect(await ask()).toEqual({ state: 'processing', finishesAt: 100 })
    clock.advance(100)
    await sent
    expect(await ask()).toMatchObject({ state: 'done', order: { id: 'order-1', key: 'a b' } })
  })
})

describe('the log', () => {
  it('shows every delivery, what it did and what came back of it', async () => {
    const { server, face } = await open()
    server.next('lose-request')
    server.next('lose-reply')
    await order(face).catch(() => {})
    await order(face).catch(() => {})
    await order(face)
    expect(server.log()).toMatchObject([
      { number: 1, attempt: 1, effect: 'none', reply: { is: 'lost', at: 0 } },
      { number: 2, attempt: 2, effect: 'executed', reply: { is: 'lost', at: 0 } },
      { number: 3, attempt: 3, effect: 'replayed', reply: { is: 'answered', at: 0, status: 201 } },
    ])
    expect(server.log()[0]?.bodyDigest).toBeUndefined()
    expect(server.log()[1]?.bodyDigest).toBe(server.log()[2]?.bodyDigest)
    expect(server.log({ key: 'other' })).toEqual([])
  })

  it('tells bodies apart', async () => {
    const { server, face } = await open()
    for (const item of ['tea', 'eat', 'ate', 'tea '])
      await order(face, { key: item, json: { item } })
    expect(new Set(server.log().map(row => row.bodyDigest)).size).toBe(4)
  })

  it('is not changed by what comes later', async () => {
    const { server, face } = await open()
    await order(face)
    const before = structuredClone(server.log())
    const held = server.log()
    await order(face)
    expect(held).toEqual(before)
  })
})

describe('over HTTP', () => {
  it('shows ledger, log and keys', async () => {
    const { face } = await open()
    await order(face)
    await order(face, { key: 'key-2' })
    const get = async (path: string) => (await face.fetch(path)).json()
    expect(await get('/api/ledger?key=key-2')).toMatchObject([{ key: 'key-2' }])
    expect(await get('/api/log')).toHaveLength(2)
    expect(await get('/api/keys')).toMatchObject([{ status: 'done' }, { status: 'done' }])
  })

  it('takes faults, and gives them back', async () => {
    const { face } = await open()
    const put = (body: unknown) =>
      face.fetch('/api/faults', { method: 'PUT', body: JSON.stringify(body) })
    await put({ rules: [{ fault: 'lose-reply', share: 0.5 }, { fault: 503 }], network: 'down' })
    expect(await (await face.fetch('/api/faults')).json()).toEqual({
      rules: [
        { fault: { is: 'lose-reply' }, share: 0.5 },
        { fault: { is: 'status', status: 503 }, requests: 1 },
      ],
      network: 'down',
    })
    expect((await put({ rules: [{ fault: 'lose-everything' }] })).status).toBe(400)
    await face.fetch('/api/reset', { method: 'POST' })
    expect(await (await face.fetch('/api/faults')).json()).toEqual({ rules: [], network: 'up' })
  })

  it('forgets keys, and everything', async () => {
    const { server, face } = await open()
    await order(face)
    await face.fetch('/api/forget-keys', { method: 'POST' })
    await order(face)
    expect(server.ledger()).toHaveLength(2)
    await face.fetch('/api/reset', { method: 'POST' })
    expect([server.ledger(), server.log(), server.keys()]).toEqual([[], [], []])
  })

  it('shows nothing where it is told not to', async () => {
    const { face } = await open({ admin: false })
    expect((await face.fetch('/api/ledger')).status).toBe(404)
  })
})

describe('server.fetch', () => {
  it('sends nothing when it is aborted before', async () => {
    const { server, face } = await open()
    const signal = AbortSignal.abort(new Error('changed my mind'))
    await expect(order(face, { signal })).rejects.toThrow('changed my mind')
    expect(server.log()).toHaveLength(0)
  })

  it('leaves a redirect to whoever asks for it by hand, and breaks where none is wanted', async () => {
    const { server, face } = await open()
    server.next('sign-in', { requests: 2 })
    const manual = await order(face, { redirect: 'manual' })
    expect([manual.type, manual.status, manual.ok]).toEqual(['opaqueredirect', 0, false])
    await expect(order(face, { redirect: 'error' })).rejects.toThrow(TypeError)
  })

  it('says where an answer came from, on a clone too', async () => {
    const { server, face } = await open()
    server.next('sign-in')
    const response = (await order(face)).clone()
    expect([response.redirected, response.url]).toEqual([true, 'http://shop.test/sign-in'])
  })
})
