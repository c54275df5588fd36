import type { Bytes } from './bytes.ts'
import type { Platform } from './platform.ts'

/**
 * SHA-256 (FIPS 180-4) in plain JavaScript, for pages on plain http, where browsers hide `crypto.subtle`: the same
 * value, but slower, and synchronous.
 */
export function sha256(message: Uint8Array): ArrayBuffer {
  const { length } = message
  const padded = new Uint8Array(((length + 72) >> 6) << 6)
  padded.set(message)
  padded[length] = 0x80
  const words = new DataView(padded.buffer)
  words.setUint32(padded.length - 8, length / 2 ** 29)
  words.setUint32(padded.length - 4, length << 3)

  initial ??= roots(1 / 2).slice(0, 8)
  constants ??= roots(1 / 3)
  const state = initial.slice()
  const schedule = new Int32Array(64)
  for (let offset = 0; offset < padded.length; offset += 64) {
    let [a, b, c, d, e, f, g, h] = state as Iterable<number> as Eight
    for (let i = 0; i < 64; i++) {
      if (i < 16) schedule[i] = words.getInt32(offset + i * 4)
      else {
        const x = schedule[i - 15] as number
        const y = schedule[i - 2] as number
        schedule[i] =
          (schedule[i - 16] as number) +
          (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) +
          (schedule[i - 7] as number) +
          (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10))
      }
      const one =
        h +
        (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
        ((e & f) ^ (~e & g)) +
        (constants[i] as number) +
        (schedule[i] as number)
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + two) | 0
    }
    const added = [a, b, c, d, e, f, g, h]
    state.forEach((word, i) => {
      state[i] = word + (added[i] as number)
    })
  }
  state.forEach((word, i) => {
    words.setInt32(i * 4, word)
  })
  return padded.buffer.slice(0, 32)
}

// Not for every message: they take longer than the sum over a small one.
let initial: Int32Array | undefined
let constants: Int32Array | undefined

/** Up to here the wait for another thread takes longer than the sum (measured in Chromium: 0.4 ms). */
const SMALL_BYTES = 2_048

export type Digest = (bytes: Bytes) => Promise<ArrayBuffer>

/** What is small is summed up here and now, all else by the platform, where it can. */
export function quickly({ subtle }: Pick<Platform, 'subtle'>): Digest {
  return async bytes =>
    subtle && bytes.length > SMALL_BYTES ? subtle.digest('SHA-256', bytes) : sha256(bytes)
}

type Eight = [number, number, number, number, number, number, number, number]

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** The standard's constants: the fractions of the roots of the first 64 primes. */
function roots(power: number): Int32Array {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every(prime => n % prime)) primes.push(n)
  return Int32Array.from(primes, prime => (prime ** power % 1) * 2 ** 32)
}
