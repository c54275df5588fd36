import { webAddress } from './address.ts'
import type { RetryPolicy } from './decide.ts'
import { DEFAULT_POLICY } from './decide.ts'
import { check } from './errors.ts'
import { MAX_TIMER_MS } from './platform.ts'
import type { Place, ServerProfile } from './profiles/profile.ts'

const MAX_NAME_LENGTH = 200

/** RFC 9110: what a header's name is made of. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

/** Names become parts of keys, locks and channels, in this browser and in a later version of this library. */
export function checkName(what: string, value: unknown): asserts value is string {
  check(
    typeof value === 'string' &&
      value !== '' &&
      value.length <= MAX_NAME_LENGTH &&
      !/[\p{Cc}\p{Surrogate}]/u.test(value),
    what,
    value,
    `use 1 to ${MAX_NAME_LENGTH} characters, without control characters and lone surrogates`,
  )
}

/** A duration in milliseconds from `least` upwards that a timer can keep. */
export function checkMs(what: string, value: unknown, least = 0): void {
  const good = typeof value === 'number' && value >= least && value <= MAX_TIMER_MS
  check(good, what, value, `use milliseconds from ${least} to ${MAX_TIMER_MS}`)
}

/** A policy with what is given in the place of its own. */
export function policyOf(
  given: Partial<RetryPolicy> | undefined,
  policy: RetryPolicy = DEFAULT_POLICY,
): RetryPolicy {
  if (!given) return policy
  const overridden = { ...policy, ...given }
  const { maxAttempts, ...durations } = overridden
  const whole = Number.isSafeInteger(maxAttempts) && maxAttempts >= 1
  check(whole, 'retry.maxAttempts', maxAttempts, 'use a whole number from 1')
  for (const [name, ms] of Object.entries(durations)) checkMs(`retry.${name}`, ms, 1)
  return overridden
}

/** Refuses a profile that could not be obeyed or found again. */
export function checkProfile(profile: ServerProfile): void {
  checkName('profile.id', profile?.id)
  const { guarantee, key, token, ttlMs, rules, failureKey, requestId } = profile
  checkOneOf('profile.guarantee', guarantee, ['replay', 'reject', 'window', 'none'])
  const most = Number.MAX_SAFE_INTEGER
  const known = ttlMs > 0 && ttlMs <= most
  check(known, 'profile.ttlMs', ttlMs, `use milliseconds above 0, at most ${most}`)
  check(Array.isArray(rules), 'profile.rules', rules, 'use an array')
  checkOneOf('profile.failureKey', failureKey, ['rotate', 'keep'])
  check(key !== undefined, 'profile.key', key, 'use null where none is sent')
  if (key) checkPlace('profile.key.place', key.place)
  if (token) {
    const { place, lifetimeMs, timeoutMs, request } = token
    checkPlace('profile.token.place', place)
    checkMs('profile.token.lifetimeMs', lifetimeMs, 1)
    if (timeoutMs !== undefined) checkMs('profile.token.timeoutMs', timeoutMs, 1)
    const url = request?.url
    check(url, 'profile.token.request.url', url, 'use the address of the token')
  }
  if (requestId !== undefined) checkHeader('profile.requestId', requestId)
}

function checkPlace(what: string, place: Place | undefined): void {
  if (place && 'header' in place) {
    checkHeader(`${what}.header`, place.header)
    return
  }
  const good =
    place &&
    ('query' in place
      ? place.query !== ''
      : 'path' in place
        ? /^[^/?#]+$/.test(place.path)
        : /^\/./.test(place.body))
  check(good, what, place, 'use a header, a query parameter, a JSON pointer or a part of a path')
}

function checkHeader(what: string, name: unknown): void {
  check(typeof name === 'string' && HEADER_NAME.test(name), what, name, 'use the name of a header')
}

/** Origins as a browser says them: `https://shop.example`, without a path. */
export function checkOrigins(origins: readonly string[] = []): void {
  for (const origin of origins) {
    const good = webAddress(origin)?.origin === origin
    check(good, 'origins', origin, 'use origins such as https://shop.example')
  }
}

/** One of a few words. */
export function checkOneOf(what: string, value: unknown, words: readonly string[]): void {
  check(words.includes(value as string), what, value, `use ${words.join(' or ')}`)
}

/** What to do where nothing can be stored. */
export function checkStorageFailure(value: unknown): void {
  checkOneOf('onStorageFailure', value, ['memory', 'refuse'])
}
