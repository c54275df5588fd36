import type { Decision, NextPhase, RetryPolicy } from './decide.ts'
import { mayResend } from './profiles/may-resend.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { Answer, FrozenRequest, OperationRecord, ParkReason } from './record.ts'

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
  readonly turn?: TurnProgress | undefined
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
  readonly turn?: TurnProgress | undefined
}

/** Known: nothing was executed. The key is kept; `resume()` or the same submit goes on. */
export interface Paused extends Known {
  readonly state: 'paused'
  /** What is in the way. */
  readonly reason: PauseReason
  /** Not before this; wall clock, milliseconds since 1970. */
  readonly nextAttemptAt?: number | undefined
  /** The last answer, in the tab that got it. */
  readonly response?: Response | undefined
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
  readonly nextAttemptAt?: number | undefined
  /** The last answer, in the tab that got it. */
  readonly response?: Response | undefined
  /** What was thrown, where something was. */
  readonly cause?: unknown
}

/** It happened, once. */
export interface Succeeded<T> extends Known {
  readonly state: 'succeeded'
  /** What `parse` made of the answer; undefined where there is none to read, or it could not be read. */
  readonly data: T | undefined
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
  /** The one that the record names, if it is registered. */
  readonly profile: ServerProfile | undefined
  /** The turn of this page, if it is at it. `queued`: it waits for whoever holds the record. */
  readonly running:
    | {
        readonly asks: boolean
        readonly queued: boolean
        readonly spent: number
        readonly policy: Pick<RetryPolicy, 'maxAttempts'>
      }
    | undefined
  /** Another page holds the record and lives, as far as can be seen. */
  readonly alive: boolean
}

/** The part of a snapshot that needs no answer to be parsed. */
export type Unsettled = Idle | Preparing | Sending | Waiting | Paused | Unknown

/** What every state but idle tells of a record. */
export function knownOf(record: OperationRecord, view: Pick<View, 'operation' | 'durable'>): Known {
  return {
    operation: view.operation,
    key: record.place && record.key,
    attempts: record.sent,
    startedAt: record.startedAt,
    durable: view.durable,
  }
}

/** What a page sees of a record that is not settled. */
export function unsettledOf(record: OperationRecord, view: View): Unsettled {
  const { phase } = record
  const { operation, profile, running, alive } = view
  const known = knownOf(record, view)
  // While it is asked about, what is known of it stays so.
  const here = running?.asks === false
  const turn = here
    ? { attempt: running.spent, maxAttempts: running.policy.maxAttempts }
    : undefined
  const unknown = (reason: UnknownReason, nextAttemptAt?: number): Unknown => ({
    ...known,
    state: 'unknown',
    reason: profile ? reason : 'profile-missing',
    resumable:
      profile !== undefined &&
      (record.poll !== undefined ||
        (record.request.body.kept && mayResend(profile) && reason !== 'key-expired')),
    recoverable: profile?.recover !== undefined,
    nextAttemptAt,
  })
  switch (phase.is) {
    case 'preparing':
    case 'sending':
      if (running?.queued) {
        const nextAttemptAt = phase.leaseUntil
        return { ...known, state: 'waiting', here: true, reason: 'other-tab', nextAttemptAt }
      }
      if (here || alive) {
        return phase.is === 'preparing'
          ? { ...known, state: 'preparing' }
          : { ...known, state: 'sending', here, turn }
      }
      // Its token was being fetched: nothing had left.
      return phase.is === 'preparing' && record.ambiguous === 0
        ? { operation, state: 'idle', read: true }
        : unknown('interrupted')
    case 'waiting': {
      const { reason, nextAttemptAt } = phase
      if (here || alive) {
        return { ...known, state: 'waiting', here, reason, nextAttemptAt, turn }
      }
      if (record.ambiguous > 0) return unknown('interrupted')
      const because = reason === 'rate-limited' ? 'rate-limited' : 'unavailable'
      return { ...known, state: 'paused', reason: because, nextAttemptAt }
    }
    case 'paused':
      return {
        ...known,
        state: 'paused',
        reason: phase.reason,
        nextAttemptAt: phase.nextAttemptAt,
      }
    case 'unknown':
      return unknown(phase.reason, phase.nextAttemptAt)
    default:
      throw new TypeError(`A record that is ${phase.is} is settled.`)
  }
}

/** Where a record stops: what is known to have happened is settled, what was not executed paused, all else unknown. */
export function stopped(
  { happened }: OperationRecord,
  reason: ParkReason,
  pause?: PauseReason,
  waitMs?: number,
): NextPhase {
  if (happened) return { is: 'succeeded', from: 'reply', bodyLost: true }
  return pause ? { is: 'paused', reason: pause, waitMs } : { is: 'unknown', reason, waitMs }
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
  const base = cleared || never ? unmark(record, never) : record
  if (phase.is === 'succeeded' || phase.is === 'refused') {
    const { body, ...head } = answer ?? base.happened ?? { status: 0, headers: [] }
    const keeps = body && !record.sensitive && body.length <= KEPT_BODY_BYTES
    const settled = { at: now, answer: keeps ? { ...head, body } : head }
    return {
      ...base,
      happened: undefined,
      inProgressSince: undefined,
      token: undefined,
      poll: undefined,
      request: { ...record.request, body: erased(record.request.body) },
      phase:
        phase.is === 'refused'
          ? { ...phase, ...settled }
          : { ...phase, ...settled, bodyLost: phase.bodyLost || (body !== undefined && !keeps) },
    }
  }
  const moved = {
    ...base,
    token: renew ? undefined : base.token,
    poll: never ? undefined : (poll ?? base.poll),
    lastSentBy: record.phase.is === 'sending' ? now : base.lastSentBy,
  }
  if (phase.is !== 'waiting') {
    const { waitMs } = phase
    const nextAttemptAt = waitMs === undefined ? undefined : now + waitMs
    return { ...moved, inProgressSince: undefined, phase: { ...phase, nextAttemptAt } }
  }
  return {
    ...moved,
    inProgressSince: base.inProgressSince ?? (phase.reason === 'in-progress' ? now : undefined),
    conflicts: base.conflicts + (conflict ? 1 : 0),
    phase: { ...phase, owner, nextAttemptAt: now + phase.waitMs },
  }
}

/** Takes the present attempt's mark out again, or all of them: they are known not to have had an effect. */
function unmark(record: OperationRecord, all = false): OperationRecord {
  const { ambiguous } = record
  return !all && ambiguous > 1
    ? { ...record, ambiguous: ambiguous - 1 }
    : { ...record, ambiguous: 0, conflicts: 0, firstSentAt: undefined }
}

/** A body that is not needed any more. */
export function erased(body: FrozenRequest['body']): FrozenRequest['body'] {
  return body.kept && body.bytes ? { kept: false } : body
}
