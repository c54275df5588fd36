import { describe, expect, it } from 'vitest'
import { wireKey } from '../../src/key.ts'
import { idempotencyKey } from '../../src/profiles/idempotency-key.ts'
import type { Reply, ServerProfile, Verdict } from '../../src/profiles/profile.ts'
import { readReply } from '../../src/profiles/read.ts'

const FIRST = { attempts: 1, ambiguous: false }
const LATER = { attempts: 2, ambiguous: true }

const HTML = { 'content-type': 'text/html; charset=utf-8' }
const JSON_TYPE = { 'content-type': 'application/json' }
const PROBLEM = { 'content-type': 'application/problem+json' }

const success: Verdict = { is: 'success' }
const replayed: Verdict = { is: 'success', replayed: true }
const front: Verdict = { is: 'failure', said: 'front' }
const origin: Verdict = { is: 'failure', said: 'origin' }
const limited: Verdict = { is: 'not-executed', because: 'rate-limited' }
const inProgress: Verdict = { is: 'in-progress' }
const conflict: Verdict = { is: 'conflict' }
const mismatch: Verdict = { is: 'mismatch' }
const unknown: Verdict = { is: 'unknown' }

type Said = Partial<Omit<Reply, 'headers' | 'status'>> & { headers?: Record<string, string> }
const reply = (status: number, { headers, ...rest }: Said = {}): Reply => ({
  status,
  headers: new Headers(headers),
  json: undefined,
  bodyLost: false,
  redirected: false,
  ...rest,
})
const json = (value: unknown, headers: Record<string, string> = JSON_TYPE): Said => ({
  json: value,
  headers,
})
const problem = (value: object, headers?: Record<string, string>): Said =>
  json(value, { ...PROBLEM, ...headers })
const redirected: Said = { redirected: true }

// Where a trap is from: the IETF draft, RFC 9110 or another RFC, a browser, or a server that was run or read.
const TABLE: [status: number, said: Said, verdict: Verdict, source: string][] = [
  // It happened
  [200, json({ id: 1 }), success, 'RFC 9110'],
  [201, json({ id: 1 }), success, 'RFC 9110'],
  [204, {}, success, 'RFC 9110'],
  [200, { headers: { 'content-type': 'text/plain' } }, success, 'RFC 9110'],
  [
    200,
    { ...json(undefined), bodyLost: true },
    success,
    'browsers: the status is true, the body is missing',
  ],
  [201, json({}, { 'Idempotent-Replayed': 'true' }), replayed, 'Stripe, Mollie, node-idempotency'],
  [201, json({}, { 'Idempotency-Replayed': 'True' }), replayed, 'hono-idempotency, nestarc'],
  [201, json({}, { 'Idempotency-Status': 'Repeated' }), replayed, 'Laravel infinitypaul'],
  [201, json({}, { 'Idempotency-Status': 'replayed' }), replayed, 'nestarc'],
  [201, json({}, { 'Idempotency-Status': 'Original' }), success, 'Laravel infinitypaul'],
  [201, json({}, { 'Idempotent-Replayed': 'false' }), success, 'a marker that says no'],

  // A 2xx that is not the server's, or promises nothing
  [200, { headers: HTML }, unknown, 'captive portals, sign-in pages'],
  [200, { headers: { 'content-type': 'Application/XHTML+xml' } }, unknown, 'captive portals'],
  [201, { headers: { ...HTML, 'Idempotent-Replayed': 'true' } }, unknown, 'a marker is a hint'],
  [200, { ...json({ id: 1 }), ...redirected }, unknown, 'browsers: 302 turns the POST into a GET'],
  [200, { ...json({}, { 'Idempotent-Replayed': 'true' }), ...redirected }, unknown, 'the same'],
  [202, json({ state: 'queued' }), unknown, 'RFC 9110: nothing is promised'],
  [202, json({}, { 'Idempotent-Replayed': 'true' }), unknown, 'the same'],

  // Nothing can be seen
  [0, {}, unknown, 'browsers: opaque, opaque redirect'],
  [304, {}, unknown, 'RFC 9110'],
  [302, { headers: HTML }, unknown, 'RFC 9110'],

  // The front: before the idempotency layer
  ...[401, 403, 404, 405, 407, 413, 414, 415, 419, 431].map(
    (status): [number, Said, Verdict, string] => [
      status,
      problem({}),
      front,
      'gateways, routers, logins',
    ],
  ),
  [400, { headers: HTML }, front, 'proxies answer in HTML'],
  [422, { headers: HTML }, front, 'node-idempotency on Express: HTML, the reason cannot be seen'],
  [417, { headers: HTML }, front, 'express-idempotency: mismatch as HTML'],
  [429, json({}), limited, 'Stripe: the limiter stands in front'],
  [429, { headers: HTML }, limited, 'proxies'],
  [
    429,
    problem({ title: 'Request in progress' }),
    limited,
    'Checkout.com, formerly: either way wait, same key',
  ],

  // The origin
  [400, problem({ title: 'Idempotency-Key is missing' }), origin, 'IETF draft: nothing ran'],
  [402, json({ error: { type: 'card_error', code: 'card_declined' } }), origin, 'Stripe'],
  [410, {}, origin, 'RFC 9110'],
  [412, {}, origin, 'RFC 9110'],
  [422, problem({ title: 'Your request is not valid', errors: [] }), origin, 'RFC 9457'],
  [422, json({ message: 'The email has already been taken.' }), origin, 'Laravel validation'],
  [422, json({ message: 'Coupon already used' }), origin, 'a word of reuse, and not of a key'],
  [400, json({ detail: 'Key (email)=(a@b.c) already exists.' }), origin, 'PostgreSQL, passed on'],
  [418, {}, origin, 'RFC 2324'],

  // The key with another request
  [422, problem({ title: 'Idempotency-Key is already used' }), mismatch, 'IETF draft'],
  [
    422,
    problem({
      title: 'Unprocessable',
      detail: 'Idempotency Key MUST not be reused across different payloads of this operation.',
    }),
    mismatch,
    'IETF draft',
  ],
  [
    422,
    json({ code: 'IDEMPOTENCY_FINGERPRINT_MISSMATCH' }),
    mismatch,
    'node-idempotency, as it spells it',
  ],
  [422, problem({ code: 'FINGERPRINT_MISMATCH' }), mismatch, 'hono-idempotency'],
  [400, json({ error: { type: 'idempotency_error' } }), mismatch, 'Stripe'],
  [400, json({ code: 'IdempotentParameterMismatch' }), mismatch, 'AWS'],
  [409, json({ code: 'idempotency_key_already_used_error' }), mismatch, 'Increase'],
  [409, json({ error: 'IDEMPOTENCY_KEY_REUSED' }), mismatch, 'Square, Plunk'],
  [
    417,
    json({ message: 'The idempotency key has already been used' }),
    mismatch,
    'express-idempotency',
  ],
  [
    422,
    json({
      error: { message: 'This body does not match\nthe one first sent with this idempotency key' },
    }),
    mismatch,
    'words before the key, over two lines',
  ],

  // Our own other delivery is being worked on
  [
    409,
    problem({ title: 'A request is outstanding for this Idempotency-Key' }),
    inProgress,
    'IETF draft',
  ],
  [
    409,
    problem({ detail: 'A request with the same key is being processed.' }),
    inProgress,
    'IETF draft',
  ],
  [409, json({ code: 'REQUEST_IN_PROGRESS' }), inProgress, 'node-idempotency'],
  [
    409,
    json({ code: 'REQUEST_IN_PROGRESS' }, { 'Idempotent-Replayed': 'true' }),
    inProgress,
    'node-idempotency on Fastify: the marker lies',
  ],
  [409, problem({ code: 'CONFLICT' }, { 'Retry-After': '1' }), inProgress, 'hono-idempotency'],
  [409, { headers: { ...HTML, 'Retry-After': '1' } }, inProgress, 'node-idempotency on Express'],
  [409, json({ error: { code: 'idempotency_key_in_use' } }), inProgress, 'Stripe'],
  [
    409,
    json({ error: { code: 'idempotency_key_in_use', type: 'idempotency_error' } }),
    inProgress,
    'Stripe: its type is that of a mismatch too',
  ],
  [409, json({ code: 'IDEMPOTENCY_CONCURRENT_REQUEST' }), inProgress, 'Shopify'],
  [409, json({ error: { code: 'idempotency_request_in_progress' } }), inProgress, 'Whop'],
  [409, json({ code: 'idempotency_replay_unavailable' }), inProgress, 'Auriko: never a refusal'],
  [409, problem({ type: 'https://shop.example/problems/idempotency' }), inProgress, 'IETF draft'],
  [423, json({ code: 'REQUEST_IN_PROGRESS' }), inProgress, 'RFC 4918, used for locks on keys'],

  // A conflict without evidence
  [
    409,
    json({ message: 'Email already in use' }),
    conflict,
    'the business: "in use", and not of a key',
  ],
  [409, json({ code: 'EMAIL_IN_USE' }), conflict, 'the business'],
  [409, json({ detail: 'Key (email)=(a@b.c) already exists.' }), conflict, 'PostgreSQL, passed on'],
  [409, {}, conflict, 'universal-idempotent-request: no Retry-After'],
  [409, { headers: HTML }, conflict, 'express-idempotency: 409 as HTML'],
  [423, json({ message: 'Account locked' }), conflict, 'the business'],

  // Nobody knows
  [408, {}, unknown, 'RFC 9110'],
  [425, {}, unknown, 'RFC 8470'],
  [500, json({ error: 'boom' }), unknown, 'Stripe: a stored 500 may have had an effect'],
  [500, json({ error: 'idempotency key in use' }), unknown, 'Laravel: lock not got in 5 s'],
  [502, { headers: HTML }, unknown, 'proxies: the origin may have run'],
  [503, { headers: { 'Retry-After': '1' } }, unknown, 'idempotency4j: in progress as 503'],
  [504, {}, unknown, 'proxies: the origin may still run'],
  [599, {}, unknown, 'RFC 9110'],
  [999, {}, unknown, 'not a status'],

  // A refusal on the far side of a redirect was not said to the POST
  [404, { ...json({}), ...redirected }, unknown, 'POST, redirect, GET'],
  [
    422,
    { ...problem({ title: 'Idempotency-Key is already used' }), ...redirected },
    unknown,
    'the same',
  ],
  [429, { ...json({}), ...redirected }, unknown, 'the same: the POST may have run'],
]

describe('idempotencyKey()', () => {
  const profile = idempotencyKey()

  it.each(TABLE)('reads %i %j as %j (%s)', (status, said, verdict) => {
    // History does not change what a reply says. What follows from it is decided elsewhere.
    for (const history of [FIRST, LATER]) {
      expect(readReply(profile, reply(status, said), history)).toEqual(verdict)
    }
  })

  it.each([
    null,
    [],
    'in progress',
    { code: { toString: 'x' } },
    { error: [1] },
    JSON.parse('{"__proto__":{"code":"REQUEST_IN_PROGRESS"}}'),
  ])('takes no evidence from %j', value => {
    expect(readReply(profile, reply(409, json(value)), FIRST)).toEqual(conflict)
  })

  it('reads a hostile text in linear time', () => {
    // Quadratic, these would be some 10^10 steps, far beyond the test's time.
    for (const text of ['idempot', 'already', 'in', 'fingerprint already']) {
      const detail = text.repeat(256_000 / text.length)
      expect(readReply(profile, reply(422, json({ detail })), FIRST)).toEqual(origin)
    }
  })

  it('promises a replay for a day, with the raw key in its header', () => {
    expect(profile).toMatchObject({
      guarantee: 'replay',
      ttlMs: 86_400_000,
      failureKey: 'rotate',
      key: { place: { header: 'idempotency-key', as: 'raw' } },
    })
  })

  it('can be told otherwise', () => {
    const other = idempotencyKey({
      quoted: true,
      header: 'X-Key',
      ttlMs: 60_000,
      failureKey: 'keep',
    })
    expect(other).toMatchObject({ ttlMs: 60_000, failureKey: 'keep' })
    expect(other.key && wireKey('abc', other.key.place)).toBe('"abc"')
  })

  it('has an id that carries what it puts on the wire, and nothing else', () => {
    const ids = [{}, { quoted: true }, { header: 'x-key' }, { header: 'x-key', quoted: true }].map(
      options => idempotencyKey(options).id,
    )
    expect(new Set(ids).size).toBe(4)
    expect(idempotencyKey({ header: 'X-KEY' }).id).toBe(idempotencyKey({ header: 'x-key' }).id)
    expect(idempotencyKey({ ttlMs: 1, failureKey: 'keep' }).id).toBe(idempotencyKey().id)
  })
})

describe('any profile', () => {
  const profile = (more: Partial<ServerProfile>): ServerProfile => ({
    id: 'test',
    guarantee: 'reject',
    key: null,
    ttlMs: 60_000,
    failureKey: 'rotate',
    rules: [],
    ...more,
  })
  const yes = profile({ rules: [{ then: success }] })

  it('has its classify asked first, then its rules, then the status', () => {
    const both = profile({
      classify: ({ status }) => (status === 409 ? { is: 'duplicate' } : undefined),
      rules: [{ status: [409, 410], then: mismatch }],
    })
    expect(readReply(both, reply(409), FIRST)).toEqual({ is: 'duplicate' })
    expect(readReply(both, reply(410), FIRST)).toEqual(mismatch)
    expect(readReply(both, reply(404), FIRST)).toEqual(front)
  })

  it('has its classify told of the history', () => {
    const told = profile({
      classify: (_reply, { ambiguous }) => (ambiguous ? { is: 'duplicate' } : origin),
    })
    expect(readReply(told, reply(400), FIRST)).toEqual(origin)
    expect(readReply(told, reply(400), LATER)).toEqual({ is: 'duplicate' })
  })

  it('knows nothing when its classify throws, whatever its rules say', () => {
    const throws = profile({
      classify: () => {
        throw new TypeError('cannot read properties of undefined')
      },
      rules: [{ then: success }],
    })
    expect(readReply(throws, reply(200, json({})), FIRST)).toEqual(unknown)
  })

  it('may have rules that take HTML or a 202 for a success', () => {
    expect(readReply(yes, reply(200, { headers: HTML }), FIRST)).toEqual(success)
    expect(readReply(yes, reply(202), FIRST)).toEqual(success)
  })

  it('has no rule that makes a success of a redirected or an opaque reply', () => {
    expect(readReply(yes, reply(200, redirected), FIRST)).toEqual(unknown)
    expect(readReply(yes, reply(0), FIRST)).toEqual(unknown)
  })

  it('may know a redirect in its classify, but nothing of an opaque reply', () => {
    const knows = profile({ classify: () => success })
    expect(readReply(knows, reply(200, redirected), FIRST)).toEqual(success)
    expect(readReply(knows, reply(0), FIRST)).toEqual(unknown)
  })
})
