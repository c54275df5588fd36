import { stopped } from './lifecycle.ts'
import { mayResend } from './profiles/may-resend.ts'
import type { History, Recovered, ServerProfile, Verdict } from './profiles/profile.ts'
import type { OperationRecord, ParkReason, Phase } from './record.ts'

/** How hard a turn tries. A turn is one submit or one resume. */
export interface RetryPolicy {
  /** Attempts per turn; what is known as not executed costs none. @default 8 */
  readonly maxAttempts: number
  /** One attempt, from the claim to the last byte of the answer, hooks included, in milliseconds. @default 30_000 */
  readonly attemptTimeoutMs: number
  /** One turn, waits included, time offline excluded, in milliseconds. @default 120_000 */
  readonly deadlineMs: number
  /** Full jitter: a wait is anything from 0 to `baseDelayMs * 2^n`, at most `maxDelayMs`. @default 500 */
  readonly baseDelayMs: number
  /** The longest wait of the backoff, in milliseconds. @default 30_000 */
  readonly maxDelayMs: number
}

export const DEFAULT_POLICY: RetryPolicy = {
  maxAttempts: 8,
  attemptTimeoutMs: 30_000,
  deadlineMs: 120_000,
  baseDelayMs: 500,
  maxDelayMs: 30_000,
}

/** `navigator.onLine` is a hint that is wrong both ways, so that even "offline" is tried again this often. */
const OFFLINE_PROBE_MS = 30_000

/** A conflict without evidence is asked again after these waits: "already taken" must not keep a person for a minute. */
const CONFLICT_WAITS_MS = [1_000, 2_000] as const

/** How long work in progress is waited for where the profile does not say. */
const IN_PROGRESS_LIMIT_MS = 60_000

/** These statuses of the front ask for another sign-in; all others of it are definite. */
const UNAUTHORIZED: readonly number[] = [401, 403, 407, 419]

/** How an attempt ended that left the page. */
export type Answered =
  | {
      readonly is: 'answered'
      readonly status: number
      readonly bodyLost: boolean
      readonly verdict: Verdict
      /** What the server said to sending again, if anything. */
      readonly retry?: boolean | undefined
      /** Where a pending outcome is to be had. */
      readonly poll?: string | undefined
    }
  /** No answer came. */
  | { readonly is: 'unanswered'; readonly because: 'network' | 'timeout' | 'aborted' }
  /** The attempt's time was over before anything left: a hook of the app never settled. */
  | { readonly is: 'unsent'; readonly because: 'timeout' }
  /** No token was to be had, so that nothing left. `offline`: for want of a network. */
  | { readonly is: 'no-token'; readonly offline: boolean }
  /** The server was asked what happened. `final`: what it does not know of can never happen any more (rule 8). */
  | { readonly is: 'recovered'; readonly as: Recovered['is']; readonly final: boolean }

/** What is true beside the record when a decision is due. */
export interface Moment {
  readonly now: number
  /** Attempts of this turn so far that cost one, the present one included. */
  readonly spent: number
  /** Attempts of this turn so far, the present one and those that cost none included: what the backoff grows with. */
  readonly round: number
  /** Since the turn began, without the time offline. */
  readonly elapsedMs: number
  readonly online: boolean
  /** From 0 up to 1. */
  readonly random: number
  /** The client's budget for retries allows another. */
  readonly affordable: boolean
  /** What the server asked for. */
  readonly retryAfterMs: number | undefined
}

type WaitReason = Extract<Phase, { is: 'waiting' }>['reason']
type PauseReason = Extract<Phase, { is: 'paused' }>['reason']

/** What to do next: the phase that the record moves to. */
export interface Decision {
  readonly phase: NextPhase
  /** This attempt is known not to have had an effect: its mark is taken out again. */
  readonly cleared?: boolean | undefined
  /** Nothing of this key was ever applied, nor ever will be: no attempt counts as ambiguous any more. */
  readonly never?: boolean | undefined
  /** The token goes: the next attempt needs a fresh one. */
  readonly renew?: boolean | undefined
  /** Where the outcome is to be had, asked from now on in place of sending. */
  readonly poll?: string | undefined
  /** It was a conflict without evidence, and is asked again. */
  readonly conflict?: boolean | undefined
  /** It counts as one of the turn's attempts. */
  readonly costs?: boolean | undefined
}

/** A phase as it is decided; who and when come with the move. */
export type NextPhase =
  | {
      readonly is: 'succeeded'
      readonly from: 'reply' | 'replay' | 'recover'
      readonly bodyLost: boolean
    }
  | { readonly is: 'refused' }
  | {
      readonly is: 'waiting'
      readonly reason: WaitReason
      readonly waitMs: number
      readonly hurry: boolean
    }
  | { readonly is: 'paused'; readonly reason: PauseReason; readonly waitMs?: number | undefined }
  | { readonly is: 'unknown'; readonly reason: ParkReason; readonly waitMs?: number | undefined }

/** What the rules are told of the attempts before this one. */
export function historyOf(record: OperationRecord): History {
  // The present attempt is marked too; conflicts without evidence do not count.
  return { attempts: record.sent, ambiguous: record.ambiguous - record.conflicts > 1 }
}

/** The verdict table and the retry policy, as one pure function. */
export function decide(
  record: OperationRecord,
  ended: Answered,
  profile: ServerProfile,
  policy: RetryPolicy,
  moment: Moment,
): Decision {
  const { pace = {}, guarantee } = profile
  const { random, retryAfterMs, elapsedMs, now } = moment
  const { ambiguous: earlier } = historyOf(record)
  const resends = mayResend(profile)
  const ceilingMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (moment.round - 1))
  // Never from 0: a server that said "not now" and is asked at once, again and again, is hammered.
  const pacedMs = ((1 + random) * ceilingMs) / 2

  /** Attempts have stopped. */
  const end = (
    reason: ParkReason,
    cleared = false,
    because: PauseReason = 'unavailable',
    waitMs?: number,
  ): Decision => {
    const pause = cleared && !earlier ? because : undefined
    return { phase: stopped(record, reason, pause, waitMs), cleared }
  }

  const wait = (
    reason: WaitReason,
    delayMs: number,
    { costs = false, cleared = false, because, verdictMs = -1, ...more }: WaitOptions = {},
  ): Decision => {
    // What a profile's `classify` has computed may be no number.
    const askedMs = retryAfterMs ?? (verdictMs >= 0 ? verdictMs : undefined)
    const leastMs = Math.min(pace.minDelayMs ?? 0, Number.MAX_SAFE_INTEGER)
    const waitMs = Math.ceil(
      Math.max(Math.min(askedMs ?? delayMs, Number.MAX_SAFE_INTEGER), leastMs),
    )
    // A later turn keeps to what the server needs. The backoff it begins anew: a person who presses again could wait in
    // vain for one that is longer than a turn.
    const neededMs = askedMs === undefined ? leastMs || undefined : waitMs
    if (costs && (moment.spent >= policy.maxAttempts || !moment.affordable)) {
      return end('attempts', cleared, because, neededMs)
    }
    if (reason !== 'offline' && elapsedMs + waitMs > policy.deadlineMs) {
      return end('deadline', cleared, because, neededMs)
    }
    const hurry = askedMs === undefined && (reason === 'backoff' || reason === 'offline')
    return { ...more, phase: { is: 'waiting', reason, waitMs, hurry }, costs, cleared }
  }

  const again = (cleared = false) => wait('backoff', random * ceilingMs, { costs: true, cleared })
  const unanswered = () => (resends || record.poll ? again() : end('not-retryable'))
  const inProgress = (verdictMs: number | undefined, poll = record.poll) => {
    const leftMs =
      (record.inProgressSince ?? now) + (pace.inProgressLimitMs ?? IN_PROGRESS_LIMIT_MS) - now
    if (!resends && !poll) return end('not-retryable')
    if (leftMs <= 0) return { ...end('in-progress'), poll }
    const within = { verdictMs: verdictMs && Math.min(verdictMs, leftMs) }
    return { ...wait('in-progress', Math.min(pacedMs, leftMs), within), poll }
  }

  if (ended.is === 'unsent') return again(true)
  if (ended.is === 'no-token') {
    if (ended.offline) return wait('offline', OFFLINE_PROBE_MS)
    return record.ambiguous > 0
      ? { phase: { is: 'unknown', reason: 'interrupted' } }
      : { phase: { is: 'paused', reason: 'token' } }
  }
  if (ended.is === 'recovered') {
    // The next probe is turned away as well, and leads to the next question.
    if (ended.as === 'in-progress' && resends) return inProgress(undefined)
    const learnt = learn(ended.as, ended.final)
    if (learnt !== NEVER_APPLIED) return learnt ?? end('token-spent')
    const next = wait('backoff', random * ceilingMs, { ...NEVER_APPLIED, costs: true })
    return next.phase.is === 'waiting' ? next : NEVER_APPLIED
  }
  if (ended.is === 'unanswered') {
    if (ended.because === 'aborted') return end('aborted')
    return (resends || record.poll) && ended.because === 'network' && !moment.online
      ? wait('offline', OFFLINE_PROBE_MS)
      : unanswered()
  }

  const { verdict, status, bodyLost, retry } = ended
  // What happened once stays so: a later answer can only add the body.
  if (record.happened && verdict.is !== 'success') return again()
  switch (verdict.is) {
    case 'success':
      return bodyLost && (guarantee === 'replay' || record.poll)
        ? again()
        : { phase: { is: 'succeeded', from: verdict.replayed ? 'replay' : 'reply', bodyLost } }
    case 'failure': {
      if (retry) return unanswered()
      const front = verdict.said === 'front'
      // A refusal speaks for its own delivery only, unless the server stores the first answer, or was asked for it.
      const speaksForAll = !front && (guarantee === 'replay' || record.poll)
      if (earlier && !speaksForAll) return end('refused-later', true)
      return front && UNAUTHORIZED.includes(status)
        ? end('refused-later', true, 'unauthorized')
        : { phase: { is: 'refused' } }
    }
    case 'not-executed': {
      const { because } = verdict
      if (because === 'unauthorized') return end('refused-later', true, because)
      return because === 'token-expired'
        ? wait('backoff', 0, { costs: true, cleared: true, renew: true, because: 'token' })
        : wait('rate-limited', pacedMs, { cleared: true, because, verdictMs: verdict.waitMs })
    }
    case 'in-progress':
      return inProgress(verdict.waitMs)
    case 'pending':
      return ended.poll === undefined ? unanswered() : inProgress(verdict.waitMs, ended.poll)
    case 'conflict': {
      if (earlier || retry) return inProgress(undefined)
      const delayMs = resends ? CONFLICT_WAITS_MS[record.conflicts] : undefined
      return delayMs === undefined
        ? { phase: { is: 'refused' } }
        : wait('in-progress', delayMs, { conflict: true })
    }
    case 'duplicate':
      return end('token-spent')
    case 'mismatch':
      return end('key-mismatch')
    case 'unknown':
      return verdict.final || retry === false ? end('not-retryable') : unanswered()
  }
}

/** What an answer to a question that was asked by hand leads to; undefined: nothing was learnt. */
export function learn(as: Recovered['is'], final: boolean): Decision | undefined {
  if (as === 'succeeded') return { phase: { is: 'succeeded', from: 'recover', bodyLost: false } }
  return as === 'not-applied' && final ? NEVER_APPLIED : undefined
}

/** It may begin anew, with the same key. */
const NEVER_APPLIED: Decision = {
  phase: { is: 'paused', reason: 'unavailable' },
  never: true,
  renew: true,
}

type WaitOptions = Partial<Decision> & {
  readonly because?: PauseReason | undefined
  /** How long the answer's own words ask to be left alone; `Retry-After` goes before it. */
  readonly verdictMs?: number | undefined
}
