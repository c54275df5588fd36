import type { Decision } from './decide.ts'
import type { Answer, FrozenRequest, OperationRecord } from './record.ts'
import { attemptsOf } from './record.ts'

interface Known {
  /** The operation's name, as the app gave it. */
  readonly operation: string
  /** The idempotency key. Undefined where the profile uses none, or none was minted. */
  readonly key: string | undefined
  /** Attempts of this key so far, over all turns, reloads and tabs. One attempt is not always one request. */
  readonly attempts: number
  /** When the first submit began; wall clock, milliseconds since 1970. */
  readonly startedAt: number
  /** Whether it would survive a reload. */
  readonly durable: boolean
}

/** What is known of an operation now. */
export type Snapshot<T> =
  | Idle
  | Preparing
  | Sending
  | Waiting
  | Paused
  | Unknown
  | Succeeded<T>
  | Refused

/** What is known when a turn has ended. `unknown` is an outcome, and never a failure. */
export type Outcome<T> = Succeeded<T> | Refused | Paused | Unknown

/** Nothing is going on. `read: false`: the disk has not been looked at yet. */
export interface Idle {
  readonly state: 'idle'
  /** The operation's name, as the app gave it. */
  readonly operation: string
  /** Whether the disk has been looked at. `false`: something unsettled may still be found. */
  readonly read: boolean
}

/** The request is being made ready; nothing has left. */
export interface Preparing extends Known {
  readonly state: 'preparing'
}

/** A request is on its way. `here: false`: another tab sends it. */
export interface Sending extends Known {
  readonly state: 'sending'
  /** `false`: another tab sends it. */
  readonly here: boolean
  /** How far this submit or resume is; absent where another tab is at it. */
  readonly turn?: TurnProgress
}

/** How far one turn is. */
export interface TurnProgress {
  /** Which of its attempts it is, from 1; what is known as not executed counts none. 0 before the first. */
  readonly attempt: number
  /** How many it may have. */
  readonly maxAttempts: number
}

/** Between two attempts. `here: false`: another tab waits. */
export interface Waiting extends Known {
  readonly state: 'waiting'
  /** `false`: another tab waits. */
  readonly here: boolean
  /** What is waited for. */
  readonly reason: WaitReason
  /** Wall clock, milliseconds since 1970. */
  readonly nextAttemptAt: number
  /** How far this submit or resume is; absent where another tab is at it. */
  readonly turn?: TurnProgress
}

/** Known: nothing was executed. The key is kept; `resume()` or the same submit goes on. */
export interface Paused extends Known {
  readonly state: 'paused'
  /** What is in the way. */
  readonly reason: PauseReason
  /** Not before this; wall clock, milliseconds since 1970. */
  readonly nextAttemptAt?: number
  /** The last answer, in the tab that got it. */
  readonly response?: Response
  /** What was thrown, where something was. */
  readonly cause?: unknown
}

/** Nobody knows whether it happened. Key and body are kept. Never to be shown as failed. */
export interface Unknown extends Known {
  readonly state: 'unknown'
  /** Why nobody knows. */
  readonly reason: UnknownReason
  /** `resume()` can send again here: the body is at hand and the server still knows the key. */
  readonly resumable: boolean
  /** The profile can ask the server what happened. */
  readonly recoverable: boolean
  /** Not before this; wall clock, milliseconds since 1970. */
  readonly nextAttemptAt?: number
  /** The last answer, in the tab that got it. */
  readonly response?: Response
  /** What was thrown, where something was. */
  readonly cause?: unknown
}

/** It happened, once. */
export interface Succeeded<T> extends Known {
  readonly state: 'succeeded'
  /** What `parse` made of the answer; undefined where the body was lost. */
  readonly data: T
  /** The answer; of one that was found stored, what is kept of it. */
  readonly response: Response
  /** `replay`: the server said that it had answered before. `store`: another tab, or this one before a reload, was told. */
  readonly from: 'reply' | 'replay' | 'recover' | 'store'
  /** Found stored, and nobody was told of it yet: the page that got it died. */
  readonly news: boolean
  /** It happened, but its answer's body could not be had. */
  readonly bodyLost: boolean
  /** What `parse` threw: it happened all the same. */
  readonly parseError?: unknown
}

/** A definite no, by the server. The next submit is a new operation with a new key, unless the profile keeps it. */
export interface Refused extends Known {
  readonly state: 'refused'
  /** The answer; of one that was found stored, what is kept of it. */
  readonly response: Response
  /** The answer's body: JSON by content type, else text. */
  readonly data: unknown
}

/** What a turn waits for between two attempts. See the guide on states. */
export type WaitReason = 'backoff' | 'offline' | 'in-progress' | 'rate-limited' | 'other-tab'
/** Why nothing was executed. See the guide on states. */
export type PauseReason = 'unauthorized' | 'rate-limited' | 'unavailable' | 'token' | 'scope'
/** Why nobody knows whether it happened. See the guide on states. */
export type UnknownReason =
  | 'interrupted'
  | 'attempts'
  | 'deadline'
  | 'aborted'
  | 'in-progress'
  | 'token-spent'
  | 'key-expired'
  | 'key-mismatch'
  | 'refused-later'
  | 'not-retryable'
  | 'profile-missing'
  | 'unreadable'

/** What only a person may decide: automatic resuming leaves these alone. */
const FOR_A_PERSON: readonly UnknownReason[] = [
  'aborted',
  'in-progress',
  'token-spent',
  'key-expired',
  'not-retryable',
  'unreadable',
]

/** Whether it may go on without a person's decision. */
export function needsNobody(snapshot: Snapshot<unknown>): boolean {
  return snapshot.state === 'unknown'
    ? snapshot.resumable && !FOR_A_PERSON.includes(snapshot.reason)
    : snapshot.state === 'paused'
}

/** What is seen of a record from one page. */
export interface View {
  readonly operation: string
  readonly durable: boolean
  /** A turn of this page is at it. */
  readonly here: boolean
  /** Whoever holds the record lives, as far as can be seen. */
  readonly alive: boolean
  readonly turn: TurnProgress | undefined
  /** This page waits for whoever holds it. */
  readonly queued: boolean
  readonly resumable: boolean
  /** The profile that the record names can ask what happened. */
  readonly recoverable: boolean
  /** The profile that the record names is not registered. */
  readonly orphaned: boolean
}

/** The part of a snapshot that needs no answer to be parsed. */
export type Unsettled = Idle | Preparing | Sending | Waiting | Paused | Unknown

/** What every state but idle tells of a record. */
export function knownOf(record: OperationRecord, view: Pick<View, 'operation' | 'durable'>): Known {
  return {
    operation: view.operation,
    key: record.place && record.key,
    attempts: attemptsOf(record),
    startedAt: record.startedAt,
    durable: view.durable,
  }
}

/** What a page sees of a record that is not settled. */
export function unsettledOf(record: OperationRecord, view: View): Unsettled {
  const { phase } = record
  if (phase.is === 'succeeded' || phase.is === 'refused') {
    throw new TypeError(`A record that is ${phase.is} is settled.`)
  }
  const known = knownOf(record, view)
  const next = (at: number | undefined) => (at === undefined ? {} : { nextAttemptAt: at })
  const unknown = (reason: UnknownReason, at?: number): Unknown => ({
    ...known,
    state: 'unknown',
    reason: view.orphaned ? 'profile-missing' : reason,
    resumable: view.resumable && !view.orphaned,
    recoverable: view.recoverable,
    ...next(at),
  })
  const { here } = view
  const turn = view.turn ? { turn: view.turn } : {}
  switch (phase.is) {
    case 'preparing':
    case 'sending':
      if (view.queued) {
        const nextAttemptAt = phase.leaseUntil
        return { ...known, state: 'waiting', here: true, reason: 'other-tab', nextAttemptAt }
      }
      if (here || view.alive) {
        return phase.is === 'preparing'
          ? { ...known, state: 'preparing' }
          : { ...known, state: 'sending', here, ...turn }
      }
      // Its token was being fetched: nothing had left.
      return phase.is === 'preparing' && record.ambiguous === 0
        ? { operation: view.operation, state: 'idle', read: true }
        : unknown('interrupted')
    case 'waiting': {
      const { reason, nextAttemptAt } = phase
      if (here || view.alive) {
        return { ...known, state: 'waiting', here, reason, nextAttemptAt, ...turn }
      }
      if (record.ambiguous > 0) return unknown('interrupted')
      const because = reason === 'rate-limited' ? 'rate-limited' : 'unavailable'
      return { ...known, state: 'paused', reason: because, nextAttemptAt }
    }
    case 'paused':
      return { ...known, state: 'paused', reason: phase.reason, ...next(phase.nextAttemptAt) }
    case 'unknown':
      return unknown(phase.reason, phase.nextAttemptAt)
  }
}

/** Who moves a record, and when. */
export interface Mover {
  readonly owner: string
  readonly now: number
}

/** Larger bodies are read by the tab that got them, and not kept. */
const KEPT_BODY_BYTES = 256 * 1024

/** Moves a record by a decision. The answer is what came of the present attempt, if anything did. */
export function advance(
  record: OperationRecord,
  { phase, cleared, conflict, never, renew, poll }: Decision,
  answer: Answer | undefined,
  { owner, now }: Mover,
): OperationRecord {
  const {
    happened,
    inProgressSince,
    token,
    poll: polled,
    ...rest
  } = cleared || never ? unmark(record, never) : record
  const address = never ? undefined : (poll ?? polled)
  const lastSentBy = record.phase.is === 'sending' ? { lastSentBy: now } : {}
  const kept = {
    ...(happened ? { happened } : {}),
    ...(token && !renew ? { token } : {}),
    ...(address === undefined ? {} : { poll: address }),
    ...lastSentBy,
  }
  switch (phase.is) {
    case 'succeeded':
    case 'refused': {
      const { body, ...head } = answer ?? happened ?? { status: 0, headers: [] }
      const keeps = body && !record.sensitive && body.length <= KEPT_BODY_BYTES
      const settled = { at: now, answer: keeps ? { ...head, body } : head }
      return {
        ...rest,
        request: { ...record.request, body: erased(record.request.body) },
        phase:
          phase.is === 'refused'
            ? { ...phase, ...settled }
            : { ...phase, ...settled, bodyLost: phase.bodyLost || (body !== undefined && !keeps) },
      }
    }
    case 'waiting': {
      const { reason, waitMs } = phase
      const since = reason === 'in-progress' ? (inProgressSince ?? now) : inProgressSince
      return {
        ...rest,
        ...kept,
        ...(since === undefined ? {} : { inProgressSince: since }),
        conflicts: rest.conflicts + (conflict ? 1 : 0),
        phase: { ...phase, owner, nextAttemptAt: now + waitMs },
      }
    }
    case 'paused':
    case 'unknown': {
      const { waitMs, ...parked } = phase
      const next = waitMs === undefined ? {} : { waitMs, nextAttemptAt: now + waitMs }
      return { ...rest, ...kept, phase: { ...parked, ...next } }
    }
  }
}

/** Takes the present attempt's mark out again, or all of them: they are known not to have had an effect. */
function unmark(record: OperationRecord, all = false): OperationRecord {
  const { firstSentAt, ...rest } = record
  return !all && record.ambiguous > 1 && firstSentAt !== undefined
    ? { ...rest, firstSentAt, ambiguous: record.ambiguous - 1 }
    : { ...rest, ambiguous: 0, conflicts: 0 }
}

/** A body that is not needed any more. */
export function erased(body: FrozenRequest['body']): FrozenRequest['body'] {
  return body.kept && body.bytes ? { kept: false } : body
}
