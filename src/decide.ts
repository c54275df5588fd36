import type { History, ServerProfile, Verdict } from './profiles/profile.ts'
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
  /** @default 30_000 */
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
    }
  /** No answer came. */
  | { readonly is: 'unanswered'; readonly because: 'network' | 'timeout' | 'aborted' }
  /** The attempt's time was over before anything left: a hook of the app never settled. */
  | { readonly is: 'unsent' }

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

/** What to do next. `cleared`: this attempt is known not to have had an effect. */
export type Decision =
  | { readonly do: 'succeed'; readonly from: 'reply' | 'replay'; readonly bodyLost: boolean }
  | { readonly do: 'refuse' }
  | {
      readonly do: 'wait'
      readonly reason: WaitReason
      readonly waitMs: number
      /** May end early when the network returns or the person looks; never where the server named the time. */
      readonly hurry: boolean
      readonly costs: boolean
      readonly cleared: boolean
      readonly conflict: boolean
    }
  | { readonly do: 'pause'; readonly reason: PauseReason; readonly waitMs?: number }
  | {
      readonly do: 'park'
      readonly reason: ParkReason
      readonly waitMs?: number
      readonly cleared: boolean
    }

/** What the rules are told of the attempts before this one. */
export function historyOf(record: OperationRecord): History {
  return { attempts: record.attempt, ambiguous: earlierAmbiguous(record) }
}

/** Whether an attempt before the present one may have arrived and was not answered. */
function earlierAmbiguous(record: OperationRecord): boolean {
  return record.ambiguous - record.conflicts > 1
}

/** The verdict table and the retry policy, as one pure function. */
export function decide(
  record: OperationRecord,
  ended: Answered,
  profile: ServerProfile,
  policy: RetryPolicy,
  moment: Moment,
): Decision {
  const earlier = earlierAmbiguous(record)
  const mayResend = profile.guarantee === 'replay' || profile.guarantee === 'reject'

  const end = (
    reason: ParkReason,
    because: PauseReason,
    cleared: boolean,
    waitMs?: number,
  ): Decision => {
    const until = waitMs === undefined ? {} : { waitMs }
    if (record.happened) return { do: 'succeed', from: 'reply', bodyLost: true }
    if (cleared && !earlier) return { do: 'pause', reason: because, ...until }
    return { do: 'park', reason, cleared, ...until }
  }

  const wait = (
    reason: WaitReason,
    delayMs: number,
    how: { costs: boolean; cleared: boolean; conflict?: boolean; because?: PauseReason },
  ): Decision => {
    const { costs, cleared, conflict = false, because = 'unavailable' } = how
    const asked = moment.retryAfterMs
    const waitMs = Math.ceil(Math.max(asked ?? delayMs, profile.pace?.minDelayMs ?? 0))
    if (costs && (moment.spent >= policy.maxAttempts || !moment.affordable)) {
      return end('attempts', because, cleared, asked)
    }
    if (reason !== 'offline' && moment.elapsedMs + waitMs > policy.deadlineMs) {
      return end('deadline', because, cleared, waitMs)
    }
    const hurry = asked === undefined && (reason === 'backoff' || reason === 'offline')
    return { do: 'wait', reason, waitMs, hurry, costs, cleared, conflict }
  }

  const ceilingMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (moment.round - 1))
  // Never from 0: a server that said "not now" and is asked at once, again and again, is hammered.
  const pacedMs = ((1 + moment.random) * ceilingMs) / 2
  const again = (cleared: boolean): Decision =>
    wait('backoff', moment.random * ceilingMs, { costs: true, cleared })

  const inProgress = (askedMs: number | undefined): Decision => {
    const limitMs = profile.pace?.inProgressLimitMs ?? IN_PROGRESS_LIMIT_MS
    const sinceMs = moment.now - (record.inProgressSince ?? moment.now)
    if (!mayResend) return end('not-retryable', 'unavailable', false)
    if (sinceMs >= limitMs) return end('in-progress', 'unavailable', false)
    const delayMs = Math.min(askedMs ?? pacedMs, limitMs - sinceMs)
    return wait('in-progress', delayMs, { costs: false, cleared: false })
  }

  const unanswered = (): Decision => {
    if (!mayResend) return end('not-retryable', 'unavailable', false)
    return again(false)
  }

  if (ended.is === 'unsent') return again(true)
  if (ended.is === 'unanswered') {
    if (ended.because === 'aborted') return end('aborted', 'unavailable', false)
    if (mayResend && ended.because === 'network' && !moment.online) {
      return wait('offline', OFFLINE_PROBE_MS, { costs: false, cleared: false })
    }
    return unanswered()
  }

  const { verdict } = ended
  // What happened once stays so: a later answer can only add the body.
  if (record.happened && verdict.is !== 'success') return again(false)
  switch (verdict.is) {
    case 'success':
      if (ended.bodyLost && profile.guarantee === 'replay') return again(false)
      return {
        do: 'succeed',
        from: verdict.replayed ? 'replay' : 'reply',
        bodyLost: ended.bodyLost,
      }
    case 'failure':
      if (verdict.said === 'front') {
        if (earlier) return { do: 'park', reason: 'refused-later', cleared: true }
        if (UNAUTHORIZED.includes(ended.status)) return { do: 'pause', reason: 'unauthorized' }
        return { do: 'refuse' }
      }
      if (earlier && profile.guarantee !== 'replay') {
        return { do: 'park', reason: 'refused-later', cleared: true }
      }
      return { do: 'refuse' }
    case 'not-executed':
      if (verdict.because === 'unauthorized') return end('refused-later', 'unauthorized', true)
      return wait('rate-limited', verdict.waitMs ?? pacedMs, {
        costs: false,
        cleared: true,
        because: verdict.because,
      })
    case 'in-progress':
      return inProgress(verdict.waitMs)
    case 'conflict': {
      if (earlier) return inProgress(undefined)
      const delayMs = mayResend ? CONFLICT_WAITS_MS[record.conflicts] : undefined
      if (delayMs === undefined) return { do: 'refuse' }
      return wait('in-progress', delayMs, { costs: false, cleared: false, conflict: true })
    }
    case 'duplicate':
      return end('token-spent', 'unavailable', false)
    case 'mismatch':
      return end('key-mismatch', 'unavailable', false)
    case 'unknown':
      return unanswered()
  }
}
