import { webAddress } from './address.ts'
import type { RetryPolicy } from './decide.ts'
import { DEFAULT_POLICY } from './decide.ts'
import { check, reading } from './errors.ts'
import { MAX_TIMER_MS } from './platform.ts'
import type { Place, Rule, ServerProfile } from './profiles/profile.ts'
import { isVerdict } from './profiles/verdict.ts'
import { isPlace } from './record.ts'

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
  reading('profile', () => checkMembers(profile))
}

function checkMembers(profile: ServerProfile): void {
  checkName('profile.id', profile?.id)
  const { key, token, ttlMs, rules, requestId, pace = {} } = profile
  checkOneOf('profile.guarantee', profile.guarantee, ['replay', 'reject', 'window', 'none'])
  const most = Number.MAX_SAFE_INTEGER
  const known = ttlMs > 0 && ttlMs <= most
  check(known, 'profile.ttlMs', ttlMs, `use milliseconds above 0, at most ${most}`)
  check(Array.isArray(rules), 'profile.rules', rules, 'use an array')
  rules.forEach(checkRule)
  checkOneOf('profile.failureKey', profile.failureKey, ['rotate', 'keep'])
  check(key !== undefined, 'profile.key', key, 'use null where none is sent')
  if (key) checkPlace('profile.key.place', key.place)
  if (token) {
    const { timeoutMs } = token
    checkPlace('profile.token.place', token.place)
    checkMs('profile.token.lifetimeMs', token.lifetimeMs, 1)
    if (timeoutMs !== undefined) checkMs('profile.token.timeoutMs', timeoutMs, 1)
    const url = token.request?.url
    check(url, 'profile.token.request.url', url, 'use the address of the token')
  }
  if (requestId !== undefined) checkHeader('profile.requestId', requestId)
  const { shouldRetryHeader } = pace
  checkWait('profile.settleMs', profile.settleMs)
  checkWait('profile.pace.minDelayMs', pace.minDelayMs)
  checkWait('profile.pace.inProgressLimitMs', pace.inProgressLimitMs)
  for (const source of pace.retryAfter ?? []) {
    if ('header' in source) checkHeader('profile.pace.retryAfter', source.header)
    else checkPointer('profile.pace.retryAfter', source.body)
  }
  if (shouldRetryHeader !== undefined) {
    checkHeader('profile.pace.shouldRetryHeader', shouldRetryHeader)
  }
}

/** A time that is only compared, so that it may have no end. */
function checkWait(what: string, value: unknown = 0): void {
  check(typeof value === 'number' && value >= 0, what, value, 'use milliseconds from 0')
}

/** What could be read only once a reply is there has to be right before anything is sent. */
function checkRule({ status, header = {}, body = {}, then }: Rule): void {
  const statuses = typeof status === 'object' && status ? Object.values(status) : [status]
  const good = status === undefined || statuses.every(Number.isInteger)
  check(good, 'profile.rules.status', status, 'use a number, an array of them, or { from, to }')
  for (const name of Object.keys(header)) checkHeader('profile.rules.header', name)
  for (const pointer of Object.keys(body)) checkPointer('profile.rules.body', pointer)
  check(isVerdict(then), 'profile.rules.then', then?.is, 'use a verdict, with its members')
}

function checkPlace(what: string, place: Place | undefined): void {
  if (place && 'header' in place) checkHeader(`${what}.header`, place.header)
  // What a record could not be read with is no place either.
  const good =
    place &&
    isPlace(place) &&
    ('path' in place
      ? /^[^/?#]+$/.test(place.path)
      : 'body' in place
        ? /^\/./.test(place.body)
        : true)
  check(
    good,
    what,
    place,
    'use one of a header (as raw or structured-string), a query parameter, a JSON pointer and a part of a path',
  )
}

function checkHeader(what: string, name: unknown): void {
  check(typeof name === 'string' && HEADER_NAME.test(name), what, name, 'use the name of a header')
}

function checkPointer(what: string, pointer: unknown): void {
  const good = typeof pointer === 'string' && /^(\/|$)/.test(pointer)
  check(good, what, pointer, 'use a JSON pointer')
}

/** Origins as a browser says them: `https://shop.example`, without a path. */
export function checkOrigins(origins: readonly string[] = []): void {
  for (const origin of origins) {
    const good = webAddress(origin)?.origin === origin
    check(good, 'origins', origin, 'use origins such as https://shop.example')
  }
}

/** What is kept in a record has to be what it says. */
export function checkFlag(what: string, value: unknown): void {
  check(typeof value === 'boolean', what, value, 'use true or false')
}

/** One of a few words. */
export function checkOneOf(what: string, value: unknown, words: readonly string[]): void {
  check(words.includes(value as string), what, value, `use ${words.join(' or ')}`)
}

/** What to do where nothing can be stored. */
export function checkStorageFailure(value: unknown): void {
  checkOneOf('onStorageFailure', value, ['memory', 'refuse'])
}
