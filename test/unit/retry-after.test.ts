import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonPointer, Reply, ServerProfile } from '../../src/profiles/profile.ts'
import { retryAfterMs } from '../../src/retry-after.ts'

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0)
const date = (ms: number) => new Date(ms).toUTCString()

const reply = (headers: Record<string, string>, json?: unknown): Reply => ({
  status: 503,
  headers: new Headers(headers),
  json,
  bodyLost: false,
  redirected: false,
})
const read = (headers: Record<string, string>, json?: unknown, pace?: ServerProfile['pace']) =>
  retryAfterMs(reply(headers, json), pace, NOW)

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['1', 1_000],
    ['120', 120_000],
    ['1000000000', 1_000_000_000_000],
    ['007', 7_000],
  ])('of %s seconds is %i ms', (value, ms) => {
    expect(read({ 'retry-after': value })).toBe(ms)
  })

  it.each([
    'soon',
    '-1',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '1, 2',
    'Infinity',
    'NaN',
    '2026-01-15T12:00:10Z',
    'Thu, 15 Jan 2026 12:00:10',
    'Thu, 99 Jan 2026 12:00:10 GMT',
    'Sunday maybe 3',
    '   ',
  ])('of "%s" is not understood', value => {
    expect(read({ 'retry-after': value })).toBeUndefined()
  })

  it('is nothing where there is none', () => {
    expect(read({})).toBeUndefined()
  })

  it('stays finite for a row of digits', () => {
    expect(read({ 'retry-after': '9'.repeat(400) })).toBe(Number.MAX_SAFE_INTEGER)
  })

  it('as a date counts from the response’s own date, whatever this clock says', () => {
    const served = NOW - 86_400_000
    expect(read({ 'retry-after': date(served + 30_000), date: date(served) })).toBe(30_000)
  })

  it('as a date counts from now where the response’s date cannot be seen or read', () => {
    expect(read({ 'retry-after': date(NOW + 30_000) })).toBe(30_000)
    expect(read({ 'retry-after': date(NOW + 30_000), date: 'yesterday' })).toBe(30_000)
  })

  it('as a date that is past is now', () => {
    expect(read({ 'retry-after': date(NOW - 30_000) })).toBe(0)
  })
})

describe('a profile that says where the wait stands', () => {
  const body = (unit: 's' | 'ms', pointer: JsonPointer = '/retry_after') => ({
    retryAfter: [{ body: pointer, unit }],
  })

  it.each([
    ['milliseconds', { retry_after: 1800 }, 'ms', 1_800],
    ['seconds', { retry_after: 2 }, 's', 2_000],
    ['a text of digits', { retry_after: '2' }, 's', 2_000],
    ['a fraction, upwards to whole milliseconds', { retry_after: 0.0015 }, 's', 2],
    ['zero', { retry_after: 0 }, 's', 0],
    ['a negative number', { retry_after: -1 }, 's', undefined],
    ['words', { retry_after: 'soon' }, 's', undefined],
    ['an empty text', { retry_after: '' }, 's', undefined],
    ['null', { retry_after: null }, 's', undefined],
    ['a list', { retry_after: [5] }, 's', undefined],
    ['nothing', {}, 's', undefined],
    ['no JSON', undefined, 's', undefined],
  ] as const)('has %s read from the body', (_what, json, unit, ms) => {
    expect(read({}, json, body(unit))).toBe(ms)
  })

  it('names another header', () => {
    const pace = { retryAfter: [{ header: 'x-wait' }] }
    expect(read({ 'x-wait': '3', 'retry-after': '9' }, undefined, pace)).toBe(3_000)
  })

  it('has the first place win that can be read', () => {
    const pace = { retryAfter: [{ header: 'retry-after' }, ...body('ms').retryAfter] }
    expect(read({ 'retry-after': '1' }, { retry_after: 5 }, pace)).toBe(1_000)
    expect(read({ 'retry-after': 'soon' }, { retry_after: 5 }, pace)).toBe(5)
    expect(read({}, {}, pace)).toBeUndefined()
  })

  it('can say nowhere', () => {
    expect(read({ 'retry-after': '1' }, undefined, { retryAfter: [] })).toBeUndefined()
  })
})

it('is a whole number from 0, or nothing, whatever the server says', () => {
  const token = fc.stringMatching(/^[!-~]([ -~]{0,40}[!-~])?$/)
  const said = fc.oneof(
    token,
    fc.integer().map(String),
    fc.double().map(String),
    fc.date({ noInvalidDate: true }).map(value => value.toUTCString()),
    fc.date({ noInvalidDate: true }).map(String),
  )
  const pace = {
    retryAfter: [
      { header: 'retry-after' },
      { body: '/wait', unit: 's' },
      { body: '', unit: 'ms' },
    ] as const,
  }
  const now = fc.integer({ min: 0, max: 8.64e15 })
  fc.assert(
    fc.property(
      said,
      said,
      fc.oneof(fc.jsonValue(), fc.record({ wait: fc.double() })),
      now,
      (...given) => {
        const [retryAfter, served, json, at] = given
        const ms = retryAfterMs(reply({ 'retry-after': retryAfter, date: served }, json), pace, at)
        expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true)
      },
    ),
    { numRuns: 2_000 },
  )
})
