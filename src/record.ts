import { GUARDS, METHOD, SOME_PAGE, webAddress } from './address.ts'
import type { Bytes } from './bytes.ts'
import type { UnknownReason } from './lifecycle.ts'
import type { Place } from './profiles/profile.ts'

/** The version of the persisted shape. A record of a newer version is left alone: another tab may run a newer deploy. */
export const RECORD_VERSION = 1

/** A response as it is kept: enough to rebuild it in any tab. */
export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  /** Undefined where there was none, it was lost, it is too large to keep, or the operation is sensitive. */
  readonly body?: Bytes | undefined
}

/** The wire form, frozen before the first attempt; every attempt sends exactly this. */
export interface FrozenRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 in hex, see the guide: two submits with the same one are the same request. */
  readonly fingerprint: string
  /** Where key and token go into the body, as offsets into its bytes, in order. */
  readonly gaps?: readonly Gap[] | undefined
  /** `kept: false`: there is a body, but not here (too large to store, sensitive, or erased after settling). */
  readonly body:
    | { readonly kept: true; readonly bytes?: Bytes | undefined }
    | { readonly kept: false }
}

/** A place in a frozen body that is filled when it is sent. */
export interface Gap {
  readonly at: number
  readonly of: 'key' | 'token'
}

/** A one-time token, and when it was issued; wall clock. */
export interface Token {
  readonly value: string
  readonly at: number
}

/** Somebody is at it. */
interface Held {
  readonly owner: string
  readonly leaseUntil: number
  readonly leaseMs: number
  /** Its owner holds the lock that documents live by: once that is free nobody sends, however long the lease. */
  readonly locked: boolean
}

/** How far an operation is. `owner` is the document that moves it, new at every load. */
export type Phase =
  /** Its token is being fetched, and nothing has left. */
  | ({ readonly is: 'preparing' } & Held)
  | ({ readonly is: 'sending' } & Held)
  | {
      readonly is: 'waiting'
      readonly owner: string
      readonly reason: 'backoff' | 'offline' | 'in-progress' | 'rate-limited'
      readonly nextAttemptAt: number
      readonly waitMs: number
      /** May end early when the network returns or the person looks; never where the server named the time. */
      readonly hurry: boolean
    }
  | {
      readonly is: 'paused'
      readonly reason: 'unauthorized' | 'rate-limited' | 'unavailable' | 'token' | 'scope'
      readonly nextAttemptAt?: number | undefined
      readonly waitMs?: number | undefined
    }
  | {
      readonly is: 'unknown'
      readonly reason: ParkReason
      readonly nextAttemptAt?: number | undefined
      readonly waitMs?: number | undefined
    }
  | {
      readonly is: 'succeeded'
      readonly at: number
      readonly answer: Answer
      readonly from: 'reply' | 'replay' | 'recover'
      readonly bodyLost: boolean
    }
  | { readonly is: 'refused'; readonly at: number; readonly answer: Answer }

/** Reasons that are written down; the others are found when a record is read. */
export type ParkReason = Exclude<UnknownReason, 'profile-missing' | 'unreadable'>

/** What is persisted of an operation. Identified by `(name, scope, operation)`, fenced by `(key, attempt)`. */
export interface OperationRecord {
  readonly version: typeof RECORD_VERSION
  /** Also where the profile sends none: it identifies the operation's life. */
  readonly key: string
  /** Absent where the profile sends no key. */
  readonly place?: Place | undefined
  readonly profile: string
  /** How long the server remembers the key, in milliseconds, as its profile said when the key was minted. */
  readonly ttlMs: number
  readonly request: FrozenRequest
  /** Persisted before it is sent, and resent as it is (rule 7). */
  readonly token?: Token | undefined
  /** Where its outcome is to be had: asked by GET in place of sending again. */
  readonly poll?: string | undefined
  /** Where the first attempt went; known once the app's ky has resolved the address. */
  readonly origin?: string | undefined
  readonly startedAt: number
  /** Counts on for ever: never reused, so that it can be half of the fence. */
  readonly attempt: number
  /** How often it was sent, the present attempt included; questions and claims that came to nothing are left out. */
  readonly sent: number
  /** How many attempts may have arrived and were not answered, the present one included. */
  readonly ambiguous: number
  /** How many of these got a conflict without evidence. */
  readonly conflicts: number
  /** Present while an attempt is ambiguous: the server may have known the key since then. */
  readonly firstSentAt?: number | undefined
  /** Nothing left after this; wall clock. */
  readonly lastSentBy?: number | undefined
  readonly inProgressSince?: number | undefined
  /** A 2xx was seen: it happened; only its body may be missing. */
  readonly happened?: Answer | undefined
  readonly toldAt?: number | undefined
  readonly once: boolean
  readonly sensitive: boolean
  readonly phase: Phase
}

/** What is left of a record that is gone, until its key's lifetime ends. */
export interface Stub {
  readonly version: typeof RECORD_VERSION
  readonly stub: 'succeeded' | 'refused' | 'discarded' | 'forgotten'
  readonly key: string
  readonly fingerprint: string
  /** When the operation ended this way. */
  readonly at: number
  /** `forgotten` only: how many attempts were ambiguous, and since when. */
  readonly ambiguous: number
  readonly firstSentAt?: number | undefined
  /** `forgotten` only: the one that may have been sent, and so is never exchanged (rule 7). */
  readonly token?: Token | undefined
  readonly attempt: number
  readonly sent: number
  readonly until: number
}

/** What lies at a record's place. */
export type Found =
  | { readonly is: 'nothing'; readonly record?: never; readonly stub?: never }
  | { readonly is: 'stub'; readonly record?: never; readonly stub: Stub }
  | { readonly is: 'record'; readonly record: OperationRecord; readonly stub?: never }
  /** Malformed, or of a newer version: occupies its operation, is never sent, never trusted, never overwritten. */
  | { readonly is: 'unreadable'; readonly record?: never; readonly stub?: never }

type Check = (value: unknown) => boolean
type Shape = Readonly<Record<string, Check>>

const text: Check = value => typeof value === 'string' && value !== ''
const time: Check = value => Number.isFinite(value)
const count: Check = value => Number.isSafeInteger(value) && (value as number) >= 0
const flag: Check = value => typeof value === 'boolean'
const bytes: Check = value => value instanceof Uint8Array
const maybe =
  (check: Check): Check =>
  value =>
    value === undefined || check(value)
const oneOf =
  (...values: readonly string[]): Check =>
  value =>
    values.includes(value as string)
const object =
  (shape: Shape): Check =>
  value =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(shape).every(([name, check]) =>
      check(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined),
    )
const pairs: Check = value => {
  try {
    return Array.isArray(value) && new Headers(value as [string, string][]) instanceof Headers
  } catch {
    return false
  }
}
const gaps: Check = value =>
  Array.isArray(value) && value.every(object({ at: count, of: oneOf('key', 'token') }))
/** Also what a profile may name: a record that says anything else is unreadable. */
export const isPlace: Check = value =>
  object({ as: maybe(oneOf('raw', 'structured-string')) })(value) &&
  ['header', 'query', 'body', 'path'].filter(name => text((value as Record<string, unknown>)[name]))
    .length === 1

const address: Check = value =>
  typeof value === 'string' && webAddress(value, SOME_PAGE) !== undefined
const absolute: Check = value => typeof value === 'string' && webAddress(value) !== undefined
const method: Check = value => typeof value === 'string' && METHOD.test(value)
const headers: Check = value =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(
    ([name, item]) => typeof item === 'string' && !GUARDS.includes(name.toLowerCase()),
  )

const answer = object({ status: count, headers: pairs, body: maybe(bytes) })
const token = object({ value: text, at: time })
const held = object({ owner: text, leaseUntil: time, leaseMs: time, locked: flag })
const parked = object({ reason: text, nextAttemptAt: maybe(time), waitMs: maybe(time) })
const phases: Readonly<Record<Phase['is'], Check>> = {
  preparing: held,
  sending: held,
  waiting: object({ owner: text, reason: text, nextAttemptAt: time, waitMs: time, hurry: flag }),
  paused: parked,
  unknown: parked,
  succeeded: object({
    at: time,
    answer,
    from: oneOf('reply', 'replay', 'recover'),
    bodyLost: flag,
  }),
  refused: object({ at: time, answer }),
}
const phase: Check = value => {
  const is = (value as { is?: unknown } | null)?.is
  return typeof is === 'string' && Object.hasOwn(phases, is) && phases[is as Phase['is']](value)
}
const common = {
  version: (value: unknown) => value === RECORD_VERSION,
  key: text,
  attempt: count,
  sent: count,
  ambiguous: count,
  firstSentAt: maybe(time),
}
const isStub = object({
  ...common,
  stub: oneOf('succeeded', 'refused', 'discarded', 'forgotten'),
  fingerprint: text,
  token: maybe(token),
  at: time,
  until: time,
})
const isRecord = object({
  ...common,
  place: maybe(isPlace),
  profile: text,
  ttlMs: time,
  request: object({
    method,
    url: address,
    headers,
    fingerprint: text,
    gaps: maybe(gaps),
    body: object({ kept: flag, bytes: maybe(bytes) }),
  }),
  token: maybe(token),
  poll: maybe(absolute),
  origin: maybe(text),
  startedAt: time,
  conflicts: count,
  lastSentBy: maybe(time),
  inProgressSince: maybe(time),
  happened: maybe(answer),
  toldAt: maybe(time),
  once: flag,
  sensitive: flag,
  phase,
})

/** Reads what a store holds. It may have been written by another version, another library or another script. */
export function parseRecord(stored: unknown): Found {
  if (stored === undefined) return { is: 'nothing' }
  if (isStub(stored)) return { is: 'stub', stub: stored as Stub }
  if (isRecord(stored)) return { is: 'record', record: stored as OperationRecord }
  return { is: 'unreadable' }
}

/** What a submit says of a record that it creates. */
type Born = 'key' | 'place' | 'profile' | 'ttlMs' | 'request' | 'token' | 'startedAt' | 'once'

/** A record of which nothing has left. */
export function newRecord(born: Pick<OperationRecord, Born | 'sensitive'>): OperationRecord {
  return {
    ...born,
    version: RECORD_VERSION,
    attempt: 0,
    sent: 0,
    ambiguous: 0,
    conflicts: 0,
    phase: { is: 'unknown', reason: 'interrupted' },
  }
}

/** A record whose outcome is known. Only then may the key rotate. */
export type Settled = OperationRecord & {
  readonly phase: Extract<Phase, { is: 'succeeded' | 'refused' }>
}

export function isSettled(record: OperationRecord): record is Settled {
  return record.phase.is === 'succeeded' || record.phase.is === 'refused'
}
