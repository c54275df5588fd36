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

  const state = roots(1 / 2).slice(0, 8)
  const constants = roots(1 / 3)
  const schedule = new Int32Array(64)
  for (let offset = 0; offset < padded.length; offset += 64) {
    const work = state.slice()
    for (let i = 0; i < 64; i++) {
      // The standard moves each of a to h to the next letter in every round. Here the letters move instead.
      const at = (letter: number): number => work[(letter - i) & 7] as number
      const w = (back: number): number => schedule[i - back] as number
      schedule[i] =
        i < 16
          ? words.getInt32(offset + i * 4)
          : w(16) +
            w(7) +
            (turn(w(15), 7) ^ turn(w(15), 18) ^ (w(15) >>> 3)) +
            (turn(w(2), 17) ^ turn(w(2), 19) ^ (w(2) >>> 10))
      const [a, e] = [at(0), at(4)]
      const one =
        at(7) +
        (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
        ((e & at(5)) ^ (~e & at(6))) +
        (constants[i] as number) +
        w(0)
      work[(3 - i) & 7] = at(3) + one
      work[(7 - i) & 7] =
        one +
        (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
        ((a & at(1)) ^ (a & at(2)) ^ (at(1) & at(2)))
    }
    for (let i = 0; i < 8; i++) state[i] = (state[i] as number) + (work[i] as number)
  }
  state.forEach((word, i) => {
    words.setInt32(i * 4, word)
  })
  return padded.buffer.slice(0, 32)
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** The standard's constants: the fractions of the roots of the first 64 primes. */
function roots(power: number): Int32Array {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every(prime => n % prime)) primes.push(n)
  return Int32Array.from(primes, prime => (prime ** power % 1) * 2 ** 32)
}
