import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../src/sha256.ts'

const hex = (hash: ArrayBuffer) => Buffer.from(hash).toString('hex')
const reference = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('SHA-256 without crypto.subtle', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('gives the value of FIPS 180-4 for "%s"', (text, hash) => {
    expect(hex(sha256(new TextEncoder().encode(text)))).toBe(hash)
  })

  it.each([1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 129, 1_000_000])(
    'agrees with Node for %i bytes',
    length => {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 131 + (i >> 8)) & 0xff)
      expect(hex(sha256(bytes))).toBe(reference(bytes))
    },
  )

  it('agrees with Node for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
        expect(hex(sha256(bytes))).toBe(reference(bytes))
      }),
    )
  })

  it('reads a view and leaves it as it was', () => {
    const bytes = Uint8Array.from([0, 0, 1, 2, 3, 0])
    expect(hex(sha256(bytes.subarray(2, 5)))).toBe(reference(Uint8Array.from([1, 2, 3])))
    expect([...bytes]).toEqual([0, 0, 1, 2, 3, 0])
  })
})
