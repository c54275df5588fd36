import { age, keyExpiresAt } from './collect.ts'
import { advance, stopped } from './lifecycle.ts'
import { mayResend } from './profiles/may-resend.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { OperationRecord, ParkReason, Phase, Settled } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import type { Change } from './store/store.ts'

/** A submit that has not taken anything yet. Only it may create a record (rule 1), with the key minted beforehand. */
export interface Fresh {
  /** What it would create; a token in it was fetched ahead, and is nobody's yet. */
  readonly record: OperationRecord
  readonly failureKey: ServerProfile['failureKey']
  /** When `submit` was called, wall clock. */
  readonly calledAt: number
  /** From the call until its turn began, by the page's own clock: the one before may still be writing. */
  readonly queuedMs: number
  /** The success that this page had been told last, and how long before the call. */
  readonly told: { readonly key: string; readonly agoMs: number } | undefined
  readonly joinMs: number
}

/** A turn that belongs to a key: a later round of a submit, or a resume. It never creates (rule 1). */
export interface Bound {
  readonly key: string
  readonly fresh?: never
}

/** What a turn goes by. */
export type Start = { readonly fresh: Fresh; readonly key?: never } | Bound

/** What is true when a claim is made. */
export interface ClaimContext {
  readonly start: Start
  /** It is to ask what happened, and sends nothing that could have an effect. */
  readonly asks: boolean
  readonly now: number
  /** Since the turn began, by the page's own clock. */
  readonly elapsedMs: number
  readonly owner: string
  readonly leaseMs: number
  readonly attemptTimeoutMs: number
  readonly keepSettledMs: number
  /** This document holds the lock that others see it live by. */
  readonly present: boolean
  /** What {@link tagOf} said when its owner was seen to be gone: it is free. The owner may come back, and claim anew. */
  readonly gone: string | undefined
  /** What {@link tagOf} said when this turn began to wait, if it has waited for all that can be asked. */
  readonly outwaited: string | undefined
  /** The network returned, or the person looked: a backoff may end early. */
  readonly hurried: boolean
  /** When this page was last shown to a person, wall clock. */
  readonly shownAt: number
  /** The key that this turn has met before it was settled. */
  readonly met: string | undefined
  readonly online: boolean
  /** This turn has the body itself, whether or not the record kept it. */
  readonly hasBody: boolean
  readonly profile: (id: string) => Pick<ServerProfile, 'guarantee' | 'token'> | undefined
}

/** What a claim found, or took. */
export type Claimed =
  /** Ours to send, to fetch a token for, or to ask about. `before`: what to go back to if nothing leaves. */
  | {
      readonly is: 'taken'
      readonly record: OperationRecord
      readonly before: OperationRecord | undefined
    }
  /** Stops here: settled, unknown or paused. */
  | { readonly is: 'over'; readonly record: OperationRecord }
  /** Somebody sends, or is about to. */
  | { readonly is: 'busy'; readonly record: OperationRecord; readonly tag: string }
  /** Not yet time. */
  | {
      readonly is: 'early'
      readonly record: OperationRecord
      readonly waitMs: number
      readonly tag: string
    }
  /** Another body is unsettled under this name. `held`: somebody is at it, and nothing of it has left yet. */
  | { readonly is: 'changed'; readonly held?: { readonly owner: string; readonly tag: string } }
  /** The key of this turn is not there any more (rule 1), or was given up before this submit took it. */
  | { readonly is: 'gone' }
  | { readonly is: 'unreadable' }

/** Identifies one state of a record for as long as nobody moves it. A claim that is undone and made anew is another one. */
export function tagOf(record: OperationRecord | undefined): string {
  if (!record) return ''
  const { key, attempt, phase } = record
  return [key, attempt, phase.is, 'leaseUntil' in phase && phase.leaseUntil].join('/')
}

/**
 * Looks and takes, in one transaction: finds the record or creates it, decides whether it may be sent now, counts the
 * attempt, marks it ambiguous and takes the lease. Pure: a transaction that is repeated may call it again.
 */
export function claim(old: unknown, context: ClaimContext): Change<Claimed> {
  const { now, outwaited } = context
  const found = age(parseRecord(old), now, context.keepSettledMs)
  const { fresh, key: bound } = context.start
  const born = fresh?.record
  const stop = (result: Claimed): Change<Claimed> => ({ result })

  if (found.is === 'unreadable') return stop({ is: 'unreadable' })

  const { record } = found
  if (!record) {
    if (!born) return stop({ is: 'gone' })
    const { stub } = found
    // Given up by another tab while this submit was on its way: it was not meant for what comes after. What this page
    // gave up itself the turn has waited for.
    if (stub && isSince(stub.at, born.startedAt, context.elapsedMs, now)) {
      return stop({ is: 'gone' })
    }
    if (stub?.stub === 'forgotten' && stub.ambiguous > 0) {
      if (stub.fingerprint !== born.request.fingerprint) return stop({ is: 'changed' })
      const { key, attempt, sent, ambiguous, firstSentAt, token } = stub
      // Not with a token that was fetched ahead: the one that may have been sent is sent again (rule 7).
      return send({ ...born, key, attempt, sent, ambiguous, firstSentAt, token })
    }
    return take(born, undefined)
  }

  const same = born?.request.fingerprint === record.request.fingerprint

  if (isSettled(record)) {
    if (fresh ? same && isNews(record, fresh, context) : record.key === bound) {
      return stop({ is: 'over', record })
    }
    if (!fresh || !born) return stop({ is: 'gone' })
    const { key, attempt, sent } = record
    const keeps = same && record.phase.is === 'refused' && fresh.failureKey === 'keep'
    return take(keeps ? { ...born, key, attempt, sent } : born, record)
  }

  if (bound !== undefined && record.key !== bound) return stop({ is: 'gone' })
  return send(record)

  /** Whether an unsettled record may be sent now, by this turn. */
  function send(record: OperationRecord): Change<Claimed> {
    const tag = tagOf(record)
    const { phase } = record
    const waited = outwaited === tag
    const held =
      (phase.is === 'sending' || phase.is === 'preparing') &&
      phase.owner !== context.owner &&
      // Rule 5: whoever lives is outwaited, late as its timers may be; without a lock to see it by the lease has to do.
      (phase.locked ? tag !== context.gone : now < phase.leaseUntil) &&
      !waited
    if (born && born.request.fingerprint !== record.request.fingerprint) {
      if (record.ambiguous > 0) return stop({ is: 'changed' })
      return held ? stop({ is: 'changed', held: { owner: phase.owner, tag } }) : take(born, record)
    }
    if (held) return stop({ is: 'busy', record, tag })
    const profile = context.profile(record.profile)
    if (!profile) return stop({ is: 'over', record })
    // The next attempt number is the fence: what others do meanwhile drops the answer (rule 3).
    if (context.asks) return keep({ ...record, attempt: record.attempt + 1 }, record)
    // A question for a stored outcome has no effect: it may always be asked.
    if (!record.poll) {
      if (record.ambiguous > 0) {
        if (!mayResend(profile)) return park(record, 'not-retryable')
        if (now > keyExpiresAt(record) - context.attemptTimeoutMs) {
          return park(record, 'key-expired')
        }
      }
      if (!context.hasBody && !record.request.body.kept) {
        // Nobody waits for it any more, whoever is here.
        const idle = phase.is === 'waiting' && record.ambiguous === 0
        return idle ? park(record, 'interrupted', 'unavailable') : stop({ is: 'over', record })
      }
    }
    const waitMs = remainingMs(phase, now)
    const hurried =
      phase.is === 'waiting' &&
      phase.hurry &&
      (context.hurried || (phase.reason === 'offline' && context.online))
    if (waitMs > 0 && !waited && !hurried) return stop({ is: 'early', record, waitMs, tag })
    return take(record, record)
  }

  /** Rule 5: sending again is not allowed, whoever asks. What is known to have happened is settled. */
  function park(
    record: OperationRecord,
    reason: ParkReason,
    pause?: 'unavailable',
  ): Change<Claimed> {
    const phase = stopped(record, reason, pause)
    const parked = advance(record, { phase }, undefined, context)
    return { keep: parked, result: { is: 'over', record: parked } }
  }

  function take(record: OperationRecord, before: OperationRecord | undefined): Change<Claimed> {
    const { owner, leaseMs, present: locked } = context
    const lease = { owner, leaseUntil: now + leaseMs, leaseMs, locked }
    const next = { ...record, attempt: record.attempt + 1 }
    return needsToken(record)
      ? keep({ ...next, phase: { is: 'preparing', ...lease } }, before)
      : keep(marked({ ...next, phase: { is: 'sending', ...lease } }, now), before)
  }

  function keep(record: OperationRecord, before: OperationRecord | undefined): Change<Claimed> {
    return { keep: record, result: { is: 'taken', record, before } }
  }

  /** One that may have been sent is never exchanged (rule 7). */
  function needsToken({ profile, token, ambiguous, poll }: OperationRecord): boolean {
    const rules = context.profile(profile)?.token
    if (!rules || poll) return false
    return !token || (ambiguous === 0 && now >= token.at + rules.lifetimeMs)
  }
}

/** Marks the attempt that is about to be made: from here on it may have arrived. */
export function marked(record: OperationRecord, now: number): OperationRecord {
  const { phase } = record
  const leaseMs = phase.is === 'sending' ? phase.leaseMs : 0
  return {
    ...record,
    sent: record.sent + 1,
    ambiguous: record.ambiguous + 1,
    firstSentAt: record.firstSentAt ?? now,
    lastSentBy: now + leaseMs,
  }
}

/** How long a record asks to be left alone; a clock that was set back does not make it longer than it ever was. */
export function remainingMs(phase: Phase, now: number): number {
  if (!('nextAttemptAt' in phase) || phase.nextAttemptAt === undefined) return 0
  return Math.max(0, Math.min(phase.nextAttemptAt - now, phase.waitMs ?? 0))
}

/**
 * Whether something was written since a moment, by the wall clock that all pages share. One that was set back meanwhile
 * counts as it was and as it is: this page's own clock says how far. Set back before, it has times to come in the store,
 * from which nothing can be told.
 */
function isSince(at: number, since: number, elapsedMs: number, now: number): boolean {
  return at > Math.min(since, now - elapsedMs) && at <= Math.max(now, since + elapsedMs)
}

/** Rule 9: whether a submit meets an outcome that it, or the page it came from, could not have known. */
function isNews(record: Settled, fresh: Fresh, context: ClaimContext): boolean {
  const { met, shownAt, elapsedMs, now } = context
  const { calledAt, queuedMs } = fresh
  if (met === record.key) return true
  if (isSince(record.phase.at, calledAt, queuedMs + elapsedMs, now)) return true
  if (record.phase.is !== 'succeeded') return false
  if (record.once) return true
  if (fresh.told?.key === record.key) return fresh.told.agoMs < fresh.joinMs
  // Nobody was told of it before it was there, whatever the clock said then.
  return record.toldAt === undefined || Math.max(record.toldAt, record.phase.at) >= shownAt
}
