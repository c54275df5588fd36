import { customAlphabet, urlAlphabet } from 'nanoid'
import { check } from './errors.ts'
import type { Place, ServerProfile } from './profiles/profile.ts'

const random = customAlphabet(urlAlphabet.replace(/\W|_/g, ''), 24)

/**
 * A new key: 24 letters and digits, 142 random bits. Fits every known maximum (the least is 32), and because it begins
 * with a letter it is a structured token (RFC 8941) even without quotes.
 */
export function mintKey(): string {
  const key = random()
  // Digits sort before letters; about one in six begins with one.
  return key < 'A' ? mintKey() : key
}

/** The last characters of a key, for logs: six, and never more than half of it: a short one isn't given away. */
export const keyTail = (key: string | undefined): string | undefined =>
  key?.slice(Math.max(key.length - 6, Math.ceil(key.length / 2)))

/**
 * Throws `invalid-argument` for a key that the server would refuse or, worse, read as another one: a header trims outer
 * blanks and cannot carry most of Unicode. The message shows the tail of the key only.
 */
export function checkKey(key: string, rules: NonNullable<ServerProfile['key']>): void {
  // 255 is Stripe's maximum, and of most that followed it.
  const { minLength = 1, maxLength = 255, pattern = /^/ } = rules
  const want = (good: boolean, instead: string) =>
    check(good, 'key', `…${keyTail(`${key}`)}`, instead)
  const fits = typeof key === 'string' && key.length >= minLength && key.length <= maxLength
  want(fits, `use ${minLength} to ${maxLength} characters`)
  want(!/^ | $|[^ -~]/.test(key), 'use printable ASCII, without blanks around it')
  // Not `test`, which remembers its place between calls when the pattern is global.
  want(key.search(pattern) >= 0, `the profile wants ${pattern}`)
}

/** The exact string that goes on the wire. To a server that compares bytes, quoted and raw are two keys. */
export const wireKey = (key: string, place: Place): string =>
  'as' in place && place.as === 'structured-string' ? `"${key.replace(/["\\]/g, '\\$&')}"` : key
