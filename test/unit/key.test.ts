import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkKey, keyTail, mintKey, wireKey } from '../../src/key.ts'

const place = { header: 'idempotency-key' }

describe('a minted key', () => {
  it('has 24 letters and digits and begins with a letter', () => {
    for (let i = 0; i < 2_000; i++) expect(mintKey()).toMatch(/^[A-Za-z][A-Za-z0-9]{23}$/)
  })

  it('makes use of all 62 characters, and of all 52 letters at its beginning', () => {
    const keys = Array.from({ length: 5_000 }, mintKey)
    expect(new Set(keys.join('')).size).toBe(62)
    expect(new Set(keys.map(key => key[0])).size).toBe(52)
  })

  it('never comes twice', () => {
    expect(new Set(Array.from({ length: 5_000 }, mintKey)).size).toBe(5_000)
  })

  it('passes its own check', () => {
    expect(() => checkKey(mintKey(), { place })).not.toThrow()
  })
})

describe('a key of the caller', () => {
  it.each([
    ['one character', 'a', {}],
    ['255 characters', 'k'.repeat(255), {}],
    ['blanks inside', 'order 42', {}],
    ['quotes and backslashes', '"a\\b"', {}],
    ['exactly the least length', 'abcd', { minLength: 4 }],
    ['exactly the greatest length', 'abcd', { maxLength: 4 }],
    ['the pattern of the profile', 'ORDER12345', { pattern: /^[A-Z0-9]+$/ }],
  ])('may have %s', (_what, key, rules) => {
    expect(() => checkKey(key, { place, ...rules })).not.toThrow()
  })

  it.each([
    ['is empty', '', {}],
    ['is longer than 255 characters', 'k'.repeat(256), {}],
    ['is shorter than the profile wants', 'abc', { minLength: 4 }],
    ['is longer than the profile allows', 'abcde', { maxLength: 4 }],
    ['does not match the pattern of the profile', 'order-42', { pattern: /^[A-Z0-9]+$/ }],
    ['begins with a blank, which a header trims', ' order', {}],
    ['ends with a blank, which a header trims', 'order ', {}],
    ['holds a newline, on which Headers throws', 'order\n42', {}],
    ['ends with a newline', 'order\n', {}],
    ['holds a tab', 'order\t42', {}],
    ['is not ASCII, on which Headers throws', 'заказ', {}],
    ['holds DEL', 'order\x7f', {}],
  ])('is refused when it %s', (_what, key, rules) => {
    expect(() => checkKey(key, { place, ...rules })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it('is refused when it is no string', () => {
    expect(() => checkKey(42 as unknown as string, { place })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    )
  })

  it('is checked the same every time by a pattern that is global or sticky', () => {
    for (const pattern of [/^[a-z]+$/g, /^[a-z]+$/y]) {
      for (let i = 0; i < 3; i++) expect(() => checkKey('abc', { place, pattern })).not.toThrow()
    }
  })

  it('is never printed whole', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 2, maxLength: 400, unit: 'grapheme' }), key => {
        let message = ''
        try {
          checkKey(key, { place, pattern: /^nothing matches this$/ })
        } catch (error) {
          message = (error as Error).message.split(':', 1)[0] as string
        }
        // Shorter ones are met by chance in any text.
        if (key.length > 6) expect(message).not.toContain(key)
        expect(message.length).toBeLessThan(60)
      }),
    )
  })
})

describe('the tail of a key', () => {
  it.each([
    ['kJ3x9QpLmN2v8RtYwZ5bCdEf', '5bCdEf'],
    ['abcdefghijkl', 'ghijkl'],
    ['abcdef', 'def'],
    ['42', '2'],
    ['7', ''],
    [undefined, undefined],
  ])('of %s is %s', (key, tail) => {
    expect(keyTail(key)).toBe(tail)
  })
})

describe('the wire form of a key', () => {
  it.each([
    ['raw by default', 'ab"c\\d', place, 'ab"c\\d'],
    ['raw', 'ab"c\\d', { ...place, as: 'raw' }, 'ab"c\\d'],
    ['quoted', 'abc', { ...place, as: 'structured-string' }, '"abc"'],
    ['quoted and escaped', 'ab"c\\d', { ...place, as: 'structured-string' }, '"ab\\"c\\\\d"'],
  ] as const)('is %s', (_what, key, where, wire) => {
    expect(wireKey(key, where)).toBe(wire)
  })
})
