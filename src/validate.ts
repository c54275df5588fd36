import type { RetryPolicy } from './decide.ts'
import { DEFAULT_POLICY } from './decide.ts'
import { invalid } from './errors.ts'
import { MAX_TIMER_MS } from './platform.ts'
import type { Place, ServerProfile } from './profiles/profile.ts'

const MAX_NAME_LENGTH = 200

/** RFC 9110: what a header's name is made of. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i

/** Names become parts of keys, locks and channels, in this browser and in a later version of this library. */
export function checkName(what: string, value: unknown): asserts value is string {
  if (
    typeof value !== 'string' ||
    value === '' ||
    value.length > MAX_NAME_LENGTH ||
    /[\p{Cc}\p{Surrogate}]/u.test(value)
  ) {
    throw invalid(
      what,
      value,
      `use 1 to ${MAX_NAME_LENGTH} characters, without control characters and lone surrogates`,
    )
  }
}

/** A duration in milliseconds from `least` upwards that a timer can keep. */
export function checkMs(what: string, value: unknown, least = 0): void {
  if (!(typeof value === 'number' && value >= least && value <= MAX_TIMER_MS)) {
    throw invalid(what, value, `use milliseconds from ${least} to ${MAX_TIMER_MS}`)
  }
}

/** The policy of a turn: the defaults, overridden from left to right. */
export function policyOf(...overrides: readonly (Partial<RetryPolicy> | undefined)[]): RetryPolicy {
  const policy: RetryPolicy = Object.assign({}, DEFAULT_POLICY, ...overrides)
  const { maxAttempts, ...durations } = policy
  if (!Number.isSafeInteger(maxAttempts) || maxAttempts < 1) {
    throw invalid('retry.maxAttempts', maxAttempts, 'use a whole number from 1')
  }
  for (const [name, ms] of Object.entries(durations)) checkMs(`retry.${name}`, ms, 1)
  return policy
}

/** Refuses a profile that could not be obeyed or found again. */
export function checkProfile(profile: ServerProfile): void {
  checkName('profile.id', profile?.id)
  const { guarantee, key, token, ttlMs, rules, failureKey, requestId } = profile
  if (!['replay', 'reject', 'window', 'none'].includes(guarantee)) {
    throw invalid('profile.guarantee', guarantee, 'use replay, reject, window or none')
  }
  if (!(ttlMs > 0 && ttlMs <= Number.MAX_SAFE_INTEGER)) {
    throw invalid(
      'profile.ttlMs',
      ttlMs,
      `use milliseconds above 0, at most ${Number.MAX_SAFE_INTEGER}`,
    )
  }
  if (!Array.isArray(rules)) throw invalid('profile.rules', rules, 'use an array')
  if (failureKey !== 'rotate' && failureKey !== 'keep') {
    throw invalid('profile.failureKey', failureKey, 'use rotate or keep')
  }
  if (key === undefined) throw invalid('profile.key', key, 'use null where none is sent')
  if (key) checkPlace('profile.key.place', key.place)
  if (token) {
    checkPlace('profile.token.place', token.place)
    checkMs('profile.token.lifetimeMs', token.lifetimeMs, 1)
    if (token.timeoutMs !== undefined) checkMs('profile.token.timeoutMs', token.timeoutMs, 1)
    if (!token.request?.url) {
      throw invalid('profile.token.request.url', token.request?.url, 'use the address of the token')
    }
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
  if (!good) {
    throw invalid(
      what,
      place,
      'use a header, a query parameter, a JSON pointer or a part of a path',
    )
  }
}

function checkHeader(what: string, name: unknown): void {
  if (typeof name !== 'string' || !HEADER_NAME.test(name)) {
    throw invalid(what, name, 'use the name of a header')
  }
}

/** Origins as a browser says them: `https://shop.example`, without a path. */
export function checkOrigins(value: readonly unknown[] | undefined): void {
  for (const origin of value ?? []) {
    let said: string | undefined
    try {
      said = new URL(origin as string).origin
    } catch {
      // No address at all.
    }
    if (said !== origin)
      throw invalid('origins', origin, 'use origins such as https://shop.example')
  }
}

/** One of a few words. */
export function checkOneOf(what: string, value: unknown, words: readonly string[]): void {
  if (!words.includes(value as string)) throw invalid(what, value, `use ${words.join(' or ')}`)
}

/** What to do where nothing can be stored. */
export function checkStorageFailure(value: unknown): void {
  checkOneOf('onStorageFailure', value, ['memory', 'refuse'])
}
