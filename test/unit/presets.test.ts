import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkKey, mintKey } from '../../src/key.ts'
import { businessNumber } from '../../src/profiles/business-number.ts'
import { dedupeTable } from '../../src/profiles/dedupe-table.ts'
import { idempotencyKey } from '../../src/profiles/idempotency-key.ts'
import { oneTimeToken } from '../../src/profiles/one-time-token.ts'
import type { ServerProfile } from '../../src/profiles/profile.ts'
import { repeatWindow } from '../../src/profiles/repeat-window.ts'
import { repeatability } from '../../src/profiles/repeatability.ts'
import { stateMachine } from '../../src/profiles/state-machine.ts'
import { stripe } from '../../src/profiles/stripe.ts'
import { checkProfile } from '../../src/validate.ts'

const PRESETS: readonly (readonly [name: string, profile: ServerProfile])[] = [
  ['idempotencyKey', idempotencyKey()],
  ['stripe', stripe()],
  ['repeatability', repeatability()],
  ['dedupeTable', dedupeTable()],
  ['businessNumber', businessNumber()],
  ['oneTimeToken', oneTimeToken()],
  ['stateMachine', stateMachine({ reached: 'PAID' })],
  ['repeatWindow', repeatWindow()],
]

const guide = readFileSync(new URL('../../docs/profiles.md', import.meta.url), 'utf8')
const keyOf = ({ key }: ServerProfile) => {
  if (!key) throw new Error('This one has a key.')
  return key
}

describe.each(PRESETS)('%s()', (name, profile) => {
  it('is a profile that a client takes', () => {
    expect(() => checkProfile(profile)).not.toThrow()
  })

  it('makes keys that its server takes, and no two alike', () => {
    const { key } = profile
    if (!key) return expect(name).toMatch(/^(?:oneTimeToken|stateMachine|repeatWindow)$/)
    const keys = Array.from({ length: 1_000 }, () => (key.mint ?? mintKey)())
    for (const each of keys) expect(() => checkKey(each, key)).not.toThrow()
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('is in the guide, with what it promises', () => {
    expect(guide).toContain(`| \`${name}()\` | `)
  })

  it('has every header that it sends in the list of those to allow, and those it reads among those to expose', () => {
    const [, allow = '', expose = ''] = guide.split(/`Access-Control-(?:Allow|Expose)-Headers` \|/)
    const { key, token, requestId, pace, rules } = profile
    const sent = [
      ...[key?.place, token?.place].flatMap(at => (at && 'header' in at ? [at.header] : [])),
      ...Object.keys(key?.companions?.({ key: 'k', firstSentAt: 0 }) ?? {}),
      ...(requestId ? [requestId] : []),
    ]
    expect(sent.filter(header => !allow.includes(`\`${header}\``))).toEqual([])
    const read = rules.flatMap(({ header }) => Object.keys(header ?? {}))
    const paced = pace?.shouldRetryHeader ? [pace.shouldRetryHeader] : []
    const hidden = [...read, ...paced].filter(header => header !== 'content-type')
    expect(hidden.filter(header => !expose.includes(`\`${header}\``))).toEqual([])
  })
})

it('has eight presets of eight ids', () => {
  expect(new Set(PRESETS.map(([, { id }]) => id)).size).toBe(8)
})

describe('an id', () => {
  it.each([
    ['another header', dedupeTable(), dedupeTable({ header: 'x-id' })],
    ['another place of a number', businessNumber(), businessNumber({ place: { query: 'no' } })],
    [
      'a query in place of a header of the same name',
      oneTimeToken({ place: { header: 'token' } }),
      oneTimeToken({ place: { query: 'token' } }),
    ],
    ['quotes', idempotencyKey(), idempotencyKey({ quoted: true })],
  ])('is another one with %s', (_, one, other) => {
    expect(one.id).not.toBe(other.id)
  })

  it.each([
    ['stripe', stripe(), stripe({ ttlMs: 1 })],
    ['dedupeTable', dedupeTable(), dedupeTable({ done: 0, failureKey: 'keep', recover: 'x' })],
    ['businessNumber', businessNumber(), businessNumber({ prefix: 'pay_', guarantee: 'reject' })],
    ['oneTimeToken', oneTimeToken(), oneTimeToken({ lifetimeMs: 1, duplicate: { status: 400 } })],
    ['repeatWindow', repeatWindow(), repeatWindow({ windowMs: 1, envelope: false })],
  ])('of %s stays as it is with what is not on the wire', (_, one, other) => {
    expect(one.id).toBe(other.id)
  })
})

describe('the limits of a key', () => {
  const UUID = '5b0c0b0e-7f3e-4c55-9a51-0f6f3f1d9c11'
  const key = (more: Partial<NonNullable<ServerProfile['key']>>) => ({
    place: { header: 'k' },
    ...more,
  })

  it.each([
    ['a UUID with dashes, for 32 characters', keyOf(businessNumber()), UUID],
    ['a blank', keyOf(businessNumber()), 'order 1'],
    ['a letter that is not of ASCII', keyOf(businessNumber()), 'commande-é'],
    ['a line break', keyOf(stripe()), 'order\n1'],
    ['a blank at the end, which a header loses', keyOf(stripe()), 'order '],
    ['256 characters, for 255', keyOf(stripe()), 'a'.repeat(256)],
    ['no UUID, for OASIS', keyOf(repeatability()), 'a'.repeat(36)],
    ['a UUID without dashes, for OASIS', keyOf(repeatability()), UUID.replaceAll('-', '')],
    ['41 characters, for Open Banking', key({ maxLength: 40 }), 'a'.repeat(41)],
    ['32 characters, for a minimum of 33 (AWS)', key({ minLength: 33 }), 'a'.repeat(32)],
    ['nothing', keyOf(idempotencyKey()), ''],
  ])('refuse %s', (_, rules, bad) => {
    expect(() => checkKey(bad, rules)).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it.each([
    ['the number of a shop', keyOf(businessNumber()), 'trade_pay_ORDER12345'],
    ['32 hexadecimal digits', keyOf(businessNumber()), UUID.replaceAll('-', '')],
    ['a UUID, for OASIS', keyOf(repeatability()), UUID],
  ])('take %s', (_, rules, good) => {
    expect(() => checkKey(good, rules)).not.toThrow()
  })
})

describe('a number of the business', () => {
  const mint = (options: Parameters<typeof businessNumber>[0]) =>
    keyOf(businessNumber(options)).mint?.()

  it('begins with its prefix and fills what is left with 16 random characters at least', () => {
    expect(mint({ prefix: 'pay_' })).toMatch(/^pay_[A-Za-z][A-Za-z0-9]{23}$/)
    expect(mint({ prefix: 'trade_pay_' })).toMatch(/^trade_pay_[A-Za-z0-9]{22}$/)
    expect(mint({ prefix: 'a_prefix_that_is_too_long_' })).toMatch(
      /^a_prefix_that_is[A-Za-z0-9]{16}$/,
    )
    expect(mint({ maxLength: 20 })).toMatch(/^[A-Za-z][A-Za-z0-9]{19}$/)
  })
})

describe('OASIS', () => {
  const { mint, companions } = keyOf(repeatability({ clientId: 'shop' }))

  it('makes UUIDs of version 4', () => {
    for (let n = 0; n < 1_000; n += 1) {
      expect(mint?.()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    }
  })

  it('says when it was first sent as RFC 9110 writes a date, and whose it is', () => {
    const firstSentAt = Date.UTC(1994, 10, 6, 8, 49, 37, 999)
    expect(companions?.({ key: 'k', firstSentAt })).toEqual({
      'repeatability-first-sent': 'Sun, 06 Nov 1994 08:49:37 GMT',
      'repeatability-client-id': 'shop',
    })
    expect(keyOf(repeatability()).companions?.({ key: 'k', firstSentAt })).toEqual({
      'repeatability-first-sent': 'Sun, 06 Nov 1994 08:49:37 GMT',
    })
  })
})

describe('what a preset promises', () => {
  it.each([
    ['stripe', stripe(), 'replay', 86_400_000, 'rotate'],
    ['repeatability', repeatability(), 'replay', 300_000, 'rotate'],
    ['dedupeTable', dedupeTable(), 'replay', 86_400_000, 'rotate'],
    ['businessNumber', businessNumber(), 'replay', 2_592_000_000, 'keep'],
    ['oneTimeToken', oneTimeToken(), 'reject', 86_400_000, 'rotate'],
    ['stateMachine', stateMachine({ reached: 'PAID' }), 'reject', 86_400_000, 'rotate'],
    ['repeatWindow', repeatWindow(), 'window', 86_400_000, 'rotate'],
  ])('%s', (_, profile, guarantee, ttlMs, failureKey) => {
    expect(profile).toMatchObject({ guarantee, ttlMs, failureKey })
  })

  it('is a token from /api/token in a header, good for five minutes', () => {
    expect(oneTimeToken().token).toEqual({
      request: { url: '/api/token', method: 'GET' },
      at: '/token',
      lifetimeMs: 300_000,
      place: { header: 'x-idempotent-token' },
    })
  })

  it('is where an envelope keeps the result', () => {
    expect(dedupeTable().data).toBe('/data')
    expect(oneTimeToken({ envelope: { success: 0, data: '/result' } }).data).toBe('/result')
    expect(oneTimeToken().data).toBeUndefined()
    expect(repeatWindow({ envelope: false }).data).toBeUndefined()
  })
})
