import { Agent, request } from 'node:http'
import type { FaultInput, MockServer } from 'sendonce/testing'
import { createMockServer, listen } from 'sendonce/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from './clock.ts'
import { fakeClock } from './clock.ts'
import type { Face, FaceName } from './faces.ts'
import { openFace, order, seen, until } from './faces.ts'

/** The fault, what the page sees of it, orders after it, and after the same request came again. */
const FAULTS: readonly (readonly [FaultInput, string, number, number])[] = [
  ['lose-request', 'no answer', 0, 1],
  ['lose-reply', 'no answer', 1, 1],
  ['cut-body', '201 cut', 1, 1],
  [{ is: 'hang-up', ms: 0 }, 'no answer', 1, 1],
  ['sign-in', '200 html redirected', 0, 1],
  ['captive-portal', '200 html', 0, 1],
  ['forget-keys', '201', 1, 1],
  ['crash', 'no answer', 1, 1],
  [{ is: 'crash', effect: false }, 'no answer', 0, 1],
  ['false-replay', '204', 1, 2],
  ['hide-headers', '201', 1, 1],
  [202, '202', 1, 1],
  [{ is: 'status', status: 202, effect: false }, '202', 0, 1],
  [401, '401', 0, 1],
  [403, '403', 0, 1],
  [404, '404', 0, 1],
  [408, '408', 0, 1],
  [409, '409', 0, 1],
  [{ is: 'status', status: 409, evidence: true }, '409', 0, 1],
  [413, '413 html', 0, 1],
  [425, '425', 0, 1],
  [429, '429', 0, 1],
  [500, '500', 0, 1],
  [{ is: 'status', status: 500, stored: true }, '500', 0, 0],
  [{ is: 'status', status: 500, effect: true }, '500', 1, 1],
  [{ is: 'status', status: 500, effect: true, stored: true }, '500', 1, 1],
  [{ is: 'status', status: 502, retryAfter: 0 }, '502 html', 0, 1],
  [{ is: 'status', status: 503, retryAfter: 'soon' }, '503 html', 0, 1],
]

describe.each<FaceName>(['direct', 'msw', 'node'])('through the %s face', name => {
  let clock: Clock
  let server: MockServer
  let face: Face

  beforeEach(async () => {
    clock = fakeClock()
    server = createMockServer({ now: clock.now, timer: clock.timer })
    face = await openFace[name](server)
  })
  afterEach(async () => {
    server.release()
    await face.close()
  })

  it.each(FAULTS)('%j is seen as "%s" and leaves %i orders, %i after a repeat', async (...row) => {
    const [fault, expected, before, after] = row
    server.next(fault)
    expect(await seen(order(face))).toBe(expected)
    expect(server.ledger()).toHaveLength(before)
    await seen(order(face))
    expect(server.ledger()).toHaveLength(after)
  })

  it('replays a stored 500 and hides one that was not stored', async () => {
    server.next({ is: 'status', status: 500, effect: true, stored: true }, { attempts: [1] })
    await seen(order(face))
    const stored = await order(face)
    expect([stored.status, stored.headers.get('idempotent-replayed')]).toEqual([500, 'true'])
    server.reset()
    server.next({ is: 'status', status: 500, effect: true })
    await seen(order(face))
    expect(await seen(order(face))).toBe('201')
  })

  it('calls a replay what is none: a 409 of work that goes on, a 204 that ran again', async () => {
    const marker = async (sending: Promise<Response>) => {
      const { status, headers } = await sending
      return [status, headers.get('idempotent-replayed')]
    }
    server.next({ is: 'status', status: 409, evidence: true, replayed: true })
    expect(await marker(order(face))).toEqual([409, 'true'])
    expect(server.ledger()).toHaveLength(0)
    expect(await marker(order(face))).toEqual([201, null])
    server.next('false-replay')
    expect(await marker(order(face))).toEqual([204, 'true'])
    expect(server.ledger()).toHaveLength(2)
  })

  it('hides the headers that only exposed ones show', async () => {
    await order(face)
    server.next('hide-headers')
    const { headers, status } = await order(face, { headers: { 'x-request-id': 'request-1' } })
    const seen = ['content-type', 'idempotent-replayed', 'x-request-id']
    expect([status, ...seen.map(header => headers.get(header))]).toEqual([
      201,
      'application/json',
      null,
      null,
    ])
  })

  it.each([
    ['0', 0],
    ['120', 120],
    ['1000000000', 1e9],
    ['soon', 'soon'],
    ['Thu, 01 Jan 1970 00:00:05 GMT', { inMs: 5_000 }],
  ])('sends Retry-After: %s', async (expected, retryAfter) => {
    server.next({ is: 'status', status: 503, retryAfter })
    const response = await order(face)
    expect(response.headers.get('retry-after')).toBe(expected)
    expect(response.headers.get('date')).toBe('Thu, 01 Jan 1970 00:00:00 GMT')
  })

  it('is slow: works for as long as it is told, and says "in flight" meanwhile', async () => {
    server.next({ is: 'slow', ms: 1_500 })
    const first = order(face)
    await clock.waitedFor()
    expect(server.ledger()).toHaveLength(0)
    const second = await order(face)
    expect([second.status, second.headers.get('retry-after')]).toEqual([409, '2'])
    clock.advance(1_500)
    expect(await seen(first)).toBe('201')
    expect(server.ledger()).toHaveLength(1)
  })

  it('answers slowly after it has placed the order at once', async () => {
    server.next({ is: 'slow-reply', ms: 1_000 })
    const first = order(face)
    await clock.waitedFor()
    expect(server.ledger()).toHaveLength(1)
    expect(await seen(order(face))).toBe('201')
    clock.advance(1_000)
    expect(await seen(first)).toBe('201')
    expect(server.ledger()).toHaveLength(1)
  })

  it('hangs up while the work goes on', async () => {
    server.next({ is: 'hang-up', ms: 1_000 })
    expect(await seen(order(face))).toBe('no answer')
    expect(server.ledger()).toHaveLength(0)
    expect(await seen(order(face))).toBe('409')
    clock.advance(1_000)
    expect(await seen(order(face))).toBe('201')
    expect(server.ledger()).toHaveLength(1)
  })

  it.each([
    ['hang', 0],
    ['hang-after-effect', 1],
  ] as const)(
    'on %s never answers, until the page gives up, and has placed %i orders',
    async (fault, orders) => {
      server.next(fault)
      const page = new AbortController()
      const sent = seen(order(face, { signal: page.signal }))
      await until(server, () => server.log()[0]?.bodyDigest !== undefined)
      page.abort()
      expect(await sent).toBe('AbortError')
      expect(server.ledger()).toHaveLength(orders)
      expect(server.log()[0]?.reply).toEqual({ is: 'none' })
    },
  )

  it('stands still in the middle of a body, until the page gives up', async () => {
    server.next('stall-body')
    const page = new AbortController()
    const response = await order(face, { signal: page.signal })
    expect(response.status).toBe(201)
    const body = response.text()
    page.abort()
    await expect(body).rejects.toMatchObject({ name: 'AbortError' })
    expect(server.ledger()).toHaveLength(1)
  })

  it('lets go of what hangs', async () => {
    server.next('hang')
    const sent = seen(order(face))
    await until(server, () => server.log()[0]?.bodyDigest !== undefined)
    server.release()
    expect(await sent).toBe('no answer')
  })

  it('fails altogether while the network is down, and is all right when it is up', async () => {
    server.network('down')
    expect(await seen(order(face))).toBe('no answer')
    expect(await seen(face.fetch(`${face.origin}/api/orders?key=key-1`))).toBe('no answer')
    expect(await seen(face.fetch(`${face.origin}/api/ledger`))).toBe('200')
    expect(server.log()).toHaveLength(0)
    server.network('up')
    expect(await seen(order(face))).toBe('201')
  })

  it.each([307, 308])('keeps key, method and body over a %i', async status => {
    server.next(status)
    expect(await seen(order(face))).toBe(name === 'msw' ? '201' : '201 redirected')
    expect(server.ledger()).toHaveLength(1)
    const [first, second] = server.log()
    expect(second).toMatchObject({ key: 'key-1', method: 'POST', bodyDigest: first?.bodyDigest })
    expect(server.log()).toHaveLength(2)
  })

  it('has the first effect only, when a key is sent again after the server forgot it', async () => {
    await order(face)
    server.next('forget-keys')
    await order(face)
    expect(server.ledger({ key: 'key-1' })).toHaveLength(2)
  })
})

describe('a fault of the connection', () => {
  it.each<FaceName>(['direct', 'msw'])('makes one fetch arrive three times (%s)', async name => {
    const server = createMockServer()
    const face = await openFace[name](server)
    server.next('reset-reused', { requests: 2 })
    expect(await seen(order(face))).toBe('201')
    expect(server.log().map(({ effect }) => effect)).toEqual(['executed', 'replayed', 'replayed'])
    expect(server.ledger()).toHaveLength(1)
    await face.close()
  })

  it('resets a connection only when it was used before (node)', async () => {
    const server = createMockServer()
    const { port, close } = await listen(server)
    // One connection: the second request can only go over that of the first.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = (key: string) =>
      new Promise<string>(resolve => {
        const headers = { 'idempotency-key': key }
        const sending = request({ agent, port, path: '/api/orders', method: 'POST', headers })
        sending.on('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}`))
        sending.on('response', response => {
          response.resume().on('end', () => resolve(`${response.statusCode}`))
        })
        sending.end()
      })
    server.next('reset-reused')
    expect(await Promise.all([send('first'), send('second')])).toEqual(['201', 'ECONNRESET'])
    expect(server.log().map(({ reused }) => reused)).toEqual([false, true])
    expect(server.ledger({ key: 'second' })).toHaveLength(1)
    agent.destroy()
    await close()
  })

  it.each([
    ['direct', 'opaque'],
    ['msw', 'no answer'],
    ['node', '201'],
  ] as const)('hides an opaque answer as far as the %s face can', async (name, expected) => {
    const server = createMockServer()
    const face = await openFace[name](server)
    server.next('opaque')
    expect(await seen(order(face))).toBe(expected)
    expect(server.ledger()).toHaveLength(1)
    await face.close()
  })
})

describe('a rule', () => {
  it('strikes the next n requests', async () => {
    const server = createMockServer()
    const face = await openFace.direct(server)
    server.next(503, { requests: 2 })
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await order(face)).status)
    expect(statuses).toEqual([503, 503, 201])
  })

  it('strikes certain attempts of a key', async () => {
    const server = createMockServer()
    const face = await openFace.direct(server)
    server.next(500, { attempts: [2] })
    const statuses = []
    for (const key of ['a', 'a', 'b', 'a', 'b']) statuses.push((await order(face, { key })).status)
    expect(statuses).toEqual([201, 500, 201, 201, 500])
  })

  it('strikes a share of requests, the same ones for the same seed', async () => {
    const run = async (seed: number) => {
      const server = createMockServer({ seed })
      const face = await openFace.direct(server)
      server.next(503, { share: 0.3 })
      const statuses = []
      for (let n = 0; n < 200; n++) statuses.push((await order(face, { key: `${n}` })).status)
      return statuses
    }
    const first = await run(7)
    expect(await run(7)).toEqual(first)
    expect(await run(8)).not.toEqual(first)
    expect(first.filter(status => status === 503)).toHaveLength(51)
  })

  it('strikes one path only', async () => {
    const server = createMockServer()
    const face = await openFace.direct(server)
    server.next('lose-reply', { path: '/api/plain/orders' })
    expect(await seen(order(face))).toBe('201')
    expect(await seen(order(face, { path: '/api/plain/orders' }))).toBe('no answer')
  })

  it('strikes a question when it names the method', async () => {
    const server = createMockServer()
    const face = await openFace.direct(server)
    server.next(500, { method: 'GET' })
    expect(await seen(order(face))).toBe('201')
    expect(await seen(face.fetch('/api/orders?key=key-1'))).toBe('500')
    expect(await seen(face.fetch('/api/orders?key=key-1'))).toBe('200')
  })

  it('names the faults there are when it does not know one', () => {
    const server = createMockServer()
    expect(() => server.next('lose-replies' as 'lose-reply')).toThrow(/"lose-replies".*lose-reply/)
  })
})
