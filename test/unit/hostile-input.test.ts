import fc from 'fast-check'
import type { History, Reply, ServerProfile, Verdict } from 'sendonce'
import {
  businessNumber,
  dedupeTable,
  idempotencyKey,
  oneTimeToken,
  repeatability,
  repeatWindow,
  stateMachine,
  stripe,
} from 'sendonce'
import { describe, expect, it, vi } from 'vitest'
import { defaultParse, replyOf } from '../../src/answer.ts'
import { DEFAULT_POLICY, decide } from '../../src/decide.ts'
import { checkKey, wireKey } from '../../src/key.ts'
import { advance } from '../../src/lifecycle.ts'
import { pollOf, readReply, retryOf } from '../../src/profiles/read.ts'
import { parseRecord } from '../../src/record.ts'
import { retryAfterMs } from '../../src/retry-after.ts'
import { FUZZ_TIMEOUT_MS, fuzz } from './fuzz.ts'
import { NOW, recordOf } from './records.ts'
import { keyOf, order, Shop, watch } from './shop.ts'
import { short, ORDERS as TOKEN_ORDERS, TokenShop, tokenProfile } from './token-shop.ts'

vi.setConfig({ testTimeout: FUZZ_TIMEOUT_MS })

const PROFILES: Readonly<Record<string, ServerProfile>> = {
  idempotencyKey: idempotencyKey(),
  stripe: stripe(),
  repeatability: repeatability(),
  oneTimeToken: oneTimeToken({ lifetimeMs: 60_000, envelope: { success: '0' } }),
  dedupeTable: dedupeTable(),
  businessNumber: businessNumber({ place: { body: '/no' } }),
  stateMachine: stateMachine({ reached: ['PAID'] }),
  repeatWindow: repeatWindow({ windowMs: 3_000 }),
}
const VERDICTS: readonly Verdict['is'][] = [
  'success',
  'failure',
  'not-executed',
  'in-progress',
  'pending',
  'conflict',
  'duplicate',
  'mismatch',
  'unknown',
]

/** Words that readers look for, and words that they trip over. */
const word = fc.oneof(
  fc.constantFrom('0', 'ok', 'true', 'false', 'idempotency key in use', 'PAID', '__proto__', '1e9'),
  fc.constantFrom('Infinity', 'NaN', '-1', '', ' ', '99999999999999999999', 'toString'),
  fc.string({ maxLength: 30 }),
)
const name = fc.constantFrom(
  ...['retry-after', 'date', 'location', 'content-type', 'idempotent-replayed'],
  ...['idempotency-status', 'idempotency-replayed', 'stripe-should-retry', 'x-anything'],
)
const member = fc.constantFrom(
  ...['type', 'title', 'code', 'error', 'message', 'detail', 'status', 'state', 'data'],
  ...['__proto__', 'constructor', 'retryAfterMs'],
)
const flat = fc.dictionary(member, fc.oneof(word, fc.double(), fc.constant(null), fc.boolean()))
const json = fc.oneof(
  flat,
  fc.dictionary(member, flat),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(undefined),
)
const headers = fc.dictionary(name, word).map(given => {
  const built = new Headers()
  for (const [each, value] of Object.entries(given)) {
    try {
      built.append(each, value)
    } catch {
      // No server can send this.
    }
  }
  return built
})
const reply: fc.Arbitrary<Reply> = fc.record({
  status: fc.oneof(
    fc.constantFrom(0, 200, 201, 202, 204, 302, 400, 401, 409, 422, 423, 429, 500, 503, 999),
    fc.integer({ min: 0, max: 999 }),
  ),
  headers,
  json,
  bodyLost: fc.boolean(),
  redirected: fc.boolean(),
})
const history: fc.Arbitrary<History> = fc.record({
  attempts: fc.integer({ min: 1, max: 9 }),
  ambiguous: fc.boolean(),
})

const moment = fc.record({
  now: fc.constantFrom(NOW, NOW + 3_600_000, NOW - 3_600_000),
  spent: fc.integer({ min: 1, max: 9 }),
  round: fc.integer({ min: 1, max: 40 }),
  elapsedMs: fc.integer({ min: 0, max: 200_000 }),
  online: fc.boolean(),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  affordable: fc.boolean(),
})
/** A profile's own function has no type left once it runs. */
const saysAnything = fc
  .record(
    {
      is: fc.constantFrom(...VERDICTS),
      because: fc.oneof(fc.constantFrom('rate-limited', 'token-expired'), fc.anything()),
      waitMs: fc.oneof(fc.double(), fc.anything()),
      poll: fc.oneof(fc.constantFrom('location', '/id', 'two words'), fc.anything()),
      said: fc.anything(),
      replayed: fc.anything(),
      final: fc.anything(),
    },
    { requiredKeys: ['is'] },
  )
  .map(verdict => () => verdict as unknown as Verdict)

describe.each(Object.entries(PROFILES))('an answer, whatever it is, read by %s', (_, profile) => {
  it('has a verdict, and is no success where it need not be the server’s', () => {
    fc.assert(
      fc.property(reply, history, (given, before) => {
        const { is } = readReply(profile, given, before)
        expect(VERDICTS).toContain(is)
        const ours = given.status > 0 && !given.redirected && given.status < 500
        if (!ours) expect(is).not.toBe('success')
      }),
      fuzz(400),
    )
  })

  it.each<readonly [title: string, profiles: fc.Arbitrary<ServerProfile>]>([
    ['as it is', fc.constant(profile)],
    ['by a classify that says anything', saysAnything.map(classify => ({ ...profile, classify }))],
  ])('leads to a phase that is written, and read again as it was: %s', (_, profiles) => {
    const sent = fc.record({ before: history, ambiguous: fc.integer({ min: 1, max: 3 }) })
    fc.assert(
      fc.property(reply, sent, moment, profiles, (given, { before, ambiguous }, when, profile) => {
        const record = recordOf({ ambiguous, attempt: 3 })
        const verdict = readReply(profile, given, before)
        const decision = decide(
          record,
          {
            is: 'answered',
            status: given.status,
            bodyLost: given.bodyLost,
            verdict,
            retry: retryOf(given, profile.pace),
            poll:
              verdict.is === 'pending'
                ? pollOf(given, verdict.poll, 'http://shop.test/api/orders')
                : undefined,
          },
          profile,
          DEFAULT_POLICY,
          { ...when, retryAfterMs: retryAfterMs(given, profile.pace, when.now) },
        )
        const answer = { status: given.status, headers: [] }
        const moved = advance(record, decision, answer, { owner: 'page-a', now: when.now })
        expect(parseRecord(structuredClone(moved))).toEqual({ is: 'record', record: moved })
      }),
      fuzz(400),
    )
  })
})

describe('the address of an outcome', () => {
  it('is one of the same origin, or none, whatever the server names', () => {
    const base = 'https://shop.test/api/orders'
    const said = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.constantFrom('//evil.test/', 'javascript:alert(1)', 'data:,', 'blob:https://shop.test/1'),
      fc.constantFrom('https://shop.test@evil.test/', 'https:evil.test', '\\\\evil.test', '?', '#'),
      fc.string(),
    )
    fc.assert(
      fc.property(said, where => {
        const given: Reply = {
          status: 202,
          headers: new Headers(),
          json: { where },
          bodyLost: false,
          redirected: false,
        }
        const found = pollOf(given, '/where', base)
        if (found !== undefined) expect(new URL(found).origin).toBe('https://shop.test')
      }),
      fuzz(1_000),
    )
  })
})

describe('the body of an answer', () => {
  it('that calls itself JSON is read, or is none, whatever its bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const response = new Response(null, { headers: { 'content-type': 'application/json' } })
        const read = replyOf(response, new Uint8Array(bytes))
        expect(read).toMatchObject({ status: 200, bodyLost: false })
      }),
      fuzz(500),
    )
  })

  it('may be nested deeper than anybody can read', () => {
    const deep = new TextEncoder().encode('['.repeat(2_000_000))
    const response = new Response(null, { headers: { 'content-type': 'application/json' } })
    expect(replyOf(response, deep).json).toBeUndefined()
  })

  it('that is no JSON is a parse error of a success', async () => {
    const type = [['content-type', 'application/json']] as const
    const body = new TextEncoder().encode('{"id":')
    expect(() => defaultParse({ status: 200, headers: type, body })).toThrow(SyntaxError)
    const shop = new Shop()
    shop.world.server = async () =>
      new Response(body, { status: 201, headers: { 'content-type': 'application/json' } })
    const { client } = shop.open()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', data: undefined })
    expect(outcome).toHaveProperty('parseError', expect.any(SyntaxError))
  })

  it('of 100 MB is told whole to its caller, and not kept', async () => {
    const shop = new Shop()
    const size = 100 * 1024 * 1024
    shop.world.server = async () =>
      new Response(new Uint8Array(size), { headers: { 'content-type': 'application/pdf' } })
    const { client } = shop.open()
    const request = { ...order(), parse: async (answer: Response) => answer.arrayBuffer() }
    const outcome = await shop.ending(client.submit('checkout', request))
    if (outcome.state !== 'succeeded') throw new TypeError(outcome.state)
    expect(outcome.data?.byteLength).toBe(size)
    await shop.world.settle()
    expect(shop.stored()?.phase).toEqual({
      is: 'succeeded',
      at: expect.any(Number),
      from: 'reply',
      bodyLost: true,
      answer: { status: 200, headers: [['content-type', 'application/pdf']] },
    })
  })
})

describe('a key as a structured string', () => {
  it('is read back by RFC 8941 as it was, and no header changes it', () => {
    const key = fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/)
    fc.assert(
      fc.property(key, given => {
        checkKey(given, { place: { header: 'k' } })
        const quoted = wireKey(given, { header: 'k', as: 'structured-string' })
        const carried = new Headers({ k: quoted }).get('k') ?? ''
        expect(carried).toMatch(/^"(?:[^"\\]|\\["\\])*"$/)
        expect(carried.slice(1, -1).replace(/\\(["\\])/g, '$1')).toBe(given)
      }),
      fuzz(1_000),
    )
  })
})

describe('the name of an operation', () => {
  it('is refused at once, or leads to its own record and to no other, in any script', async () => {
    const shop = new Shop()
    shop.world.server = async () => Response.json({}, { status: 503 })
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    const given = fc.oneof(
      fc.string({ unit: 'binary', minLength: 0, maxLength: 8 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      fc.constantFrom('\ud800', '\u0000', '\u2028', 'e\u0301', '\u00e9', '\u202eabc', '__proto__'),
      fc.constantFrom('x'.repeat(200), 'x'.repeat(201), '"],["', '👩‍👩‍👧', '/', '..'),
    )
    const taken = new Set<string>()
    await fc.assert(
      fc.asyncProperty(given, async operation => {
        const sent = watch(client.submit(operation, order({ item: operation })))
        await shop.world.run()
        if (sent.error) expect(sent.error).toMatchObject({ code: 'invalid-argument' })
        else taken.add(operation)
      }),
      fuzz(80),
    )
    await shop.world.settle()
    const found = await shop.ending(client.unsettled())
    expect(new Set(found.map(({ operation }) => operation))).toEqual(taken)
    expect(taken.size).toBeGreaterThan(30)
  })
})

describe('what an app gives', () => {
  it.each<readonly [string, object]>([
    [
      'a getter',
      {
        get item() {
          throw new RangeError('Not yet.')
        },
      },
    ],
    [
      'a toJSON',
      {
        toJSON() {
          throw new RangeError('Not yet.')
        },
      },
    ],
    ['a proxy', new Proxy({}, { ownKeys: () => Reflect.ownKeys(JSON.parse('!')) })],
  ])('%s that throws in json is a body error: nothing is sent or stored', async (_, json) => {
    const shop = new Shop()
    const { client } = shop.open()
    const sent = watch(client.submit('checkout', { url: order().url, json }))
    await shop.world.settle()
    expect(sent.error).toMatchObject({ code: 'body', cause: expect.any(Error) })
    expect(shop.log).toEqual([])
    expect(shop.records.records()).toEqual([])
  })

  it.each<readonly [string, () => unknown]>([
    [
      'throws',
      () => {
        throw new TypeError('No order.')
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('No order.'))],
  ])('a parse that %s leaves it a success, with the error', async (_, parse) => {
    const shop = new Shop()
    const { client } = shop.open()
    const outcome = await shop.ending(client.submit('checkout', { ...order(), parse }))
    expect(outcome).toMatchObject({ state: 'succeeded', bodyLost: false })
    expect(outcome).toHaveProperty('parseError', new TypeError('No order.'))
    const again = await shop.ending(client.submit('checkout', order()))
    expect(again).toMatchObject({ state: 'succeeded', key: keyOf(outcome) })
    expect(shop.placed).toBe(1)
  })

  it('a parse that never settles keeps nobody from the record of a success', async () => {
    const shop = new Shop()
    const { client, page } = shop.open()
    const parse = () => new Promise(() => {})
    void client.submit('checkout', { ...order(), parse })
    await shop.world.settle()
    expect(shop.stored()).toMatchObject({ phase: { is: 'succeeded' } })
    const next = shop.open({}, page.reload())
    const outcome = await shop.ending(next.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'store' })
    expect(shop.placed).toBe(1)
  })
})

describe('recover', () => {
  it('learns nothing of what it was not promised', async () => {
    const learnt = fc.oneof(
      fc.anything({ maxDepth: 2 }).filter(value => !isLearnt(value)),
      fc.constant({ is: 'succeeded', data: 10n }),
    )
    await fc.assert(
      fc.asyncProperty(learnt, async value => {
        const shop = new TokenShop()
        const recover = async () => value as never
        const { client } = shop.open(tokenProfile({ recover, recoverIsFinal: true }))
        shop.trouble.order.push('lose-reply')
        const outcome = await shop.ending(client.submit('checkout', { url: TOKEN_ORDERS }))
        expect(short(outcome)).toBe('unknown:token-spent')
        expect(shop.issued).toHaveLength(1)
        expect(shop.orders).toHaveLength(1)
      }),
      fuzz(30),
    )
  })
})

function isLearnt(value: unknown): boolean {
  const is = (value as { is?: unknown } | null | undefined)?.is
  return is === 'succeeded' || is === 'not-applied'
}

describe('a token endpoint', () => {
  it('that says what no token can be pauses: nothing of the order has left', async () => {
    const said = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }).map(value => JSON.stringify({ data: { token: value } })),
      fc.string({ maxLength: 40 }),
      fc.constantFrom('{"data":{"token":""}}', '{"data":{"token":"a b"}}', '{"data":null}'),
      fc.constant(JSON.stringify({ data: { token: 'x'.repeat(4_097) } })),
    )
    await fc.assert(
      fc.asyncProperty(said, async body => {
        const shop = new TokenShop()
        const arrived: (string | null)[] = []
        shop.world.server = async request => {
          if (request.method === 'GET') return new Response(body)
          arrived.push(request.headers.get('x-token'))
          return Response.json({})
        }
        const { client } = shop.open(tokenProfile())
        const outcome = await shop.ending(client.submit('checkout', { url: TOKEN_ORDERS }))
        if (outcome.state === 'succeeded') expect(arrived).toEqual([JSON.parse(body).data.token])
        else expect([short(outcome), arrived]).toEqual(['paused:token', []])
      }),
      fuzz(100),
    )
  })

  it('that says 20 MB is read, and has given none', async () => {
    const shop = new TokenShop()
    shop.world.server = async () => new Response('x'.repeat(20_000_000))
    const { client } = shop.open(tokenProfile())
    const outcome = await shop.ending(client.submit('checkout', { url: TOKEN_ORDERS }))
    expect(short(outcome)).toBe('paused:token')
  })
})
