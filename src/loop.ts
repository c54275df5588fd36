import { headOf, keptOf, replyOf } from './answer.ts'
import type { Broadcast } from './broadcast.ts'
import type { Budget } from './budget.ts'
import type { Bound, ClaimContext, Claimed, Fresh } from './claim.ts'
import { claim } from './claim.ts'
import { keyExpiresAt } from './collect.ts'
import type { Answered, Decision, RetryPolicy } from './decide.ts'
import { decide, historyOf } from './decide.ts'
import { SendonceError } from './errors.ts'
import type { SendonceEvent } from './events.ts'
import { keyTail, wireKey } from './key.ts'
import { advance } from './lifecycle.ts'
import type { Platform, Stop } from './platform.ts'
import type { ServerProfile } from './profiles/profile.ts'
import { readReply } from './profiles/read.ts'
import type { Answer, OperationRecord, ParkReason, Settled } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import { retryAfterMs } from './retry-after.ts'
import type { KyLike, Unsent } from './send.ts'
import { send } from './send.ts'
import type { Records } from './store/fallback.ts'
import type { Change, RecordKey } from './store/store.ts'
import { wait } from './wait.ts'

/** The lease outlives the attempt by this, so that the attempt's own end is written by its own page. */
const LEASE_MARGIN_MS = 1_000

/** How often a lock that is taken is asked for again; jittered, so that tabs do not ask in step. */
const POLL_MS = 150

/** What the loops of one client share. */
export interface Engine {
  readonly platform: Platform
  readonly records: Records
  readonly broadcast: Broadcast
  readonly budget: Budget
  readonly ky: KyLike | undefined
  readonly hooksMayRetry: boolean
  readonly keepSettledMs: number
  /** This document, new at every load. */
  readonly owner: string
  scope(): string | null
  profile(id: string): ServerProfile | undefined
  emit(event: EventDetail, operation: string, record?: OperationRecord): void
}

type Distribute<E> = E extends SendonceEvent
  ? Omit<E, 'at' | 'operation' | 'keyTail' | 'attempt'>
  : never
/** An event without what every event has. */
export type EventDetail = Distribute<SendonceEvent>

/** Why a loop is told to stop. */
export type StopReason =
  /** The last caller has gone. */
  | 'aborted'
  /** The operation was discarded, forgotten or replaced by another body. */
  | 'ended'

/** One run of the loop. */
export interface Turn {
  readonly operation: string
  readonly scope: string
  readonly at: RecordKey
  /** Ready when the request is frozen; rejects with a `body` error. */
  readonly start: Promise<Fresh | Bound>
  /** What a submit brought; a resume has only what the record kept. */
  readonly bytes: () => Uint8Array<ArrayBuffer> | undefined
  readonly policy: RetryPolicy
  readonly onStorageFailure: 'memory' | 'refuse'
  /** Its reason is a {@link StopReason}. */
  readonly signal: AbortSignal
  /** The client was closed: what is on the wire may end, nothing more is sent. */
  readonly closed: () => boolean
  readonly show: (record: OperationRecord | undefined, queued: boolean) => void
  /** The outcome, as soon as it is certain; writing it down may go on. */
  readonly tell: (ending: Ending) => void
  readonly onNews: (wake: () => void) => Stop
}

/** How a turn ended. */
export interface Ending {
  /** Undefined: nothing was minted (signed out before the submit). */
  readonly record: OperationRecord | undefined
  /** The whole answer of this turn, where it is more than what is kept. */
  readonly answer?: Answer
  /** The answer was stored before this turn. */
  readonly stored?: true
  readonly cause?: unknown
}

/** What one attempt leaves to do: nothing, look again at once, or wait. */
type Next =
  | 'over'
  | 'again'
  | { readonly waitMs: number; readonly hurry: boolean; readonly offline: boolean }

/**
 * The loop. A click, a retry, a reload and a second tab are one more turn of it, with the same key. Resolves when
 * nothing is left to write; rejects, with a {@link SendonceError}, only where nothing was sent.
 */
export async function runTurn(engine: Engine, turn: Turn): Promise<void> {
  const { platform, records } = engine
  const { signal, policy, operation } = turn
  const leaseMs = policy.attemptTimeoutMs + LEASE_MARGIN_MS
  const began = platform.monotonic()
  let offlineMs = 0
  let round = 0
  let spent = 0
  let state: Fresh | Bound | undefined
  /** The record as this turn last saw it, and whether this turn has moved it. */
  let seen: OperationRecord | undefined
  let ours = false
  let watched = { tag: '', since: 0 }
  let outwaited: string | undefined
  let hurried = false
  let origin: string | undefined

  const elapsedMs = () => platform.monotonic() - began - offlineMs
  const change = <R>(decideChange: (old: unknown) => Change<R>, relaxed = false): Promise<R> =>
    records.change(turn.at, decideChange, {
      onStorageFailure: turn.onStorageFailure,
      mine: ours ? seen : undefined,
      ...(relaxed ? { durability: 'relaxed' as const } : {}),
    })
  const look = (record: OperationRecord | undefined, queued = false) => {
    seen = record
    turn.show(record, queued)
  }

  for (;;) {
    if (signal.aborted || turn.closed()) return stop()
    if (engine.scope() !== turn.scope) return leave('interrupted', 'scope')

    const lock = platform.tryLock && (await platform.tryLock(lockName(turn.at)))
    const grip = lock ? 'lock' : platform.tryLock ? 'contended' : 'none'
    let next: Next
    try {
      // Frozen while the lock was on its way.
      state ??= await turn.start
      const claiming = state
      const startedAt = platform.monotonic()
      const claimed = await change(old => claim(old, context(claiming, grip)))
      hurried = false
      next =
        claimed.is === 'taken'
          ? await attempt(claimed.record, claimed.before, startedAt)
          : await notTaken(claimed)
    } finally {
      lock?.()
    }
    if (next === 'over') return
    if (next === 'again') continue

    const sleptFrom = platform.monotonic()
    const woken = await wait(platform, next.waitMs, {
      signal,
      hurry: next.hurry,
      onNews: turn.onNews,
    })
    if (next.offline) offlineMs += platform.monotonic() - sleptFrom
    hurried = woken === 'hurry'
  }

  function context(claiming: Fresh | Bound, grip: ClaimContext['grip']): ClaimContext {
    return {
      turn: claiming,
      now: platform.now(),
      owner: engine.owner,
      leaseMs,
      attemptTimeoutMs: policy.attemptTimeoutMs,
      keepSettledMs: engine.keepSettledMs,
      grip,
      outwaited,
      hurried,
      guarantee: id => engine.profile(id)?.guarantee,
    }
  }

  /** The claim stopped, or has to be made again later. */
  async function notTaken(claimed: Exclude<Claimed, { is: 'taken' }>): Promise<Next> {
    switch (claimed.is) {
      case 'settled':
        tellSettled(claimed.record)
        return 'over'
      case 'parked':
        look(claimed.record)
        tell({ record: claimed.record })
        return 'over'
      case 'changed':
        throw new SendonceError(
          'payload-changed',
          `"${operation}" was submitted with another body, and nobody knows yet whether that happened: submit the same again, resume or discard it first.`,
        )
      case 'unreadable':
        throw new SendonceError(
          'storage',
          `The record of "${operation}" cannot be read, perhaps it is of a newer version: reload the page, or discard it.`,
        )
      case 'gone':
        if (ours) return leave('interrupted').then(() => 'over')
        throw new SendonceError(
          'aborted',
          `"${operation}" was ended elsewhere while this submit was on its way; nothing was sent.`,
        )
      case 'busy': {
        look(claimed.record, true)
        if (watch(claimed.tag) >= Math.max(leaseMs, leaseOf(claimed.record)))
          outwaited = claimed.tag
        if (elapsedMs() > policy.deadlineMs) return leave('deadline').then(() => 'over')
        return {
          waitMs: Math.ceil(POLL_MS * (1 + platform.random())),
          hurry: false,
          offline: false,
        }
      }
      case 'early': {
        const { record, waitMs, tag } = claimed
        look(record)
        if (elapsedMs() + waitMs > policy.deadlineMs) return leave('deadline').then(() => 'over')
        outwaited = undefined
        if (watch(tag) >= waitMs && waitMs > 0) outwaited = tag
        if (outwaited) return 'again'
        const hurry = record.phase.is === 'waiting' && record.phase.hurry
        return { waitMs, hurry, offline: false }
      }
    }
  }

  /** How long, by this page's own clock, the record has been as it is. */
  function watch(tag: string): number {
    if (watched.tag !== tag || watched.since === 0) watched = { tag, since: platform.monotonic() }
    return platform.monotonic() - watched.since
  }

  /** One attempt: send, read, decide, write. The lock is held all the while. */
  async function attempt(
    record: OperationRecord,
    before: OperationRecord | undefined,
    startedAt: number,
  ): Promise<Next> {
    const tookOver = before?.phase.is === 'sending'
    state = { is: 'bound', key: record.key }
    ours = true
    look(record)
    engine.emit({ type: tookOver ? 'took-over' : 'claimed' }, operation, record)
    const profile = engine.profile(record.profile)
    if (!profile) return 'again'
    round += 1
    spent += 1

    const { request } = record
    const bytes = request.body.kept ? request.body.bytes : turn.bytes()
    const writes: Promise<unknown>[] = []
    // A page in the back-forward cache has let its lock go, and its request goes on: others wait for the lease.
    const stopHide = platform.on('hide', () => {
      const { phase } = record
      if (phase.is !== 'sending') return
      writes.push(fenced(theirs => ({ ...theirs, phase: { ...phase, locked: false } }), record))
    })
    const sent = await send(platform, {
      ky: engine.ky,
      hooksMayRetry: engine.hooksMayRetry,
      url: request.url,
      method: request.method,
      headers: headersOf(record, profile),
      bytes,
      timeoutMs: Math.max(0, policy.attemptTimeoutMs - (platform.monotonic() - startedAt)),
      signal,
      look: origin => allowed(record, origin, startedAt),
      onSent(to) {
        origin = to
        // Now, and not before: what others may know must not hold up the first byte.
        engine.broadcast.post({ scope: turn.scope, operation })
        engine.emit({ type: 'sent' }, operation, record)
      },
      onHead(response) {
        const head = headOf(response)
        if (readReply(profile, replyOf(response, undefined), historyOf(record)).is !== 'success')
          return
        seen = { ...record, happened: head }
        writes.push(fenced(theirs => ({ ...theirs, happened: head }), record))
      },
    })
    stopHide()

    if (sent.is === 'unsent' && sent.because !== 'timeout') {
      return unsent(record, before, sent.because, sent.cause)
    }
    let ended: Answered
    let answer: Answer | undefined
    let askedMs: number | undefined
    if (sent.is === 'answered') {
      const reply = replyOf(sent.response, sent.body)
      const verdict = readReply(profile, reply, historyOf(record))
      ended = { is: 'answered', status: reply.status, bodyLost: reply.bodyLost, verdict }
      answer = { ...headOf(sent.response), ...(sent.body ? { body: sent.body } : {}) }
      askedMs = retryAfterMs(reply, profile.pace, platform.now())
      engine.emit(
        { type: 'answered', status: reply.status, verdict: verdict.is },
        operation,
        record,
      )
      if (reply.bodyLost)
        engine.emit({ type: 'unanswered', because: 'body-lost' }, operation, record)
    } else if (sent.is === 'unanswered') {
      ended = sent
      engine.emit({ type: 'unanswered', because: sent.because }, operation, record)
    } else ended = { is: 'unsent' }

    const timedOut = ended.is === 'unanswered' && ended.because === 'timeout'
    const decision = decide(seen ?? record, ended, profile, policy, {
      now: platform.now(),
      spent,
      round,
      elapsedMs: elapsedMs(),
      online: platform.online(),
      random: platform.random(),
      affordable: engine.budget.affords(timedOut),
      retryAfterMs: askedMs,
    })
    if (decision.do === 'wait') {
      if (decision.costs) engine.budget.spend(timedOut)
      else spent -= 1
    }
    if (decision.do === 'succeed') engine.budget.earn(spent > 1)
    return obey(decision, answer, sent.is === 'answered' ? undefined : sent.cause, writes)
  }

  /** Writes a decision under the fence, and says what is next. */
  async function obey(
    decision: Decision,
    answer: Answer | undefined,
    cause: unknown,
    writes: readonly Promise<unknown>[] = [],
  ): Promise<Next> {
    const base = seen
    if (!base) return 'over'
    const kept = answer && keptOf(answer)
    const mover = { owner: engine.owner, now: platform.now() }
    const move = (theirs: OperationRecord) =>
      advance(origin ? { ...theirs, origin } : theirs, decision, kept, mover)
    const moved = move(base)
    const written = fenced(move, base, decision.do === 'succeed')
    const ending: Ending = {
      record: moved,
      ...(answer ? { answer } : {}),
      ...(cause === undefined ? {} : { cause }),
    }
    // A success is certain whatever becomes of its record; the caller need not wait for the disk.
    if (decision.do === 'succeed') {
      look(moved)
      tell(ending)
    }
    const [held] = await Promise.all([written, ...writes])
    if (decision.do === 'succeed') return 'over'
    // Somebody else has moved the record (rule 3): the decision is dropped, and what they made of it is looked at.
    if (!held) return 'again'
    look(moved)
    const { phase } = moved
    if (phase.is === 'waiting') {
      const { reason, nextAttemptAt } = phase
      engine.emit({ type: 'waiting', reason, nextAttemptAt }, operation, moved)
      const { waitMs, hurry } = decision as Extract<Decision, { do: 'wait' }>
      return { waitMs, hurry, offline: reason === 'offline' }
    }
    tell(ending)
    return 'over'
  }

  /**
   * Writes what `move` makes of the record, if it is still the one that was claimed (rules 3 and 4). A success may be
   * written over another attempt of the same key.
   */
  function fenced(
    move: (record: OperationRecord) => OperationRecord,
    base: OperationRecord,
    success = false,
  ): Promise<boolean> {
    return change(old => {
      const found = parseRecord(old)
      if (found.is !== 'record' || found.record.key !== base.key) return { result: false }
      const { record } = found
      const holds = success
        ? record.phase.is !== 'succeeded'
        : record.attempt === base.attempt && !isSettled(record)
      return holds ? { keep: move(record), result: true } : { result: false }
    }, true).then(held => {
      if (held) engine.broadcast.post({ scope: turn.scope, operation })
      return held
    })
  }

  /** Nothing left: the claim is undone, as if it had not been made. */
  async function unsent(
    record: OperationRecord,
    before: OperationRecord | undefined,
    because: Exclude<Unsent, 'timeout'>,
    cause: unknown,
  ): Promise<Next> {
    const restored =
      before && before.key === record.key ? { ...before, attempt: record.attempt } : before
    await change<void>(old => {
      const found = parseRecord(old)
      const still =
        found.is === 'record' &&
        found.record.key === record.key &&
        found.record.attempt === record.attempt
      if (!still) return { result: undefined }
      return restored ? { keep: restored, result: undefined } : { drop: true, result: undefined }
    }, true)
    engine.broadcast.post({ scope: turn.scope, operation })
    const ambiguous = before?.key === record.key && before.ambiguous > 0
    look(restored)
    ours = restored !== undefined && restored.key === record.key
    switch (because) {
      case 'stopped':
      case 'scope':
      case 'expired':
        if (!ours) state = undefined
        if (because !== 'expired' || spent < policy.maxAttempts) return 'again'
        return leave('attempts').then(() => 'over')
      case 'origin':
      case 'hook':
        if (ambiguous)
          return obey({ do: 'park', reason: 'interrupted', cleared: false }, undefined, cause)
        throw new SendonceError(
          'not-sent',
          because === 'hook'
            ? `Nothing was sent: a hook of your ky threw before the request left (${String(cause)}).`
            : `Nothing was sent: "${operation}" belongs to ${record.origin}, and your ky now sends elsewhere.`,
          { cause },
        )
    }
  }

  /** Rule 6: the last look before it leaves. */
  function allowed(record: OperationRecord, origin: string, startedAt: number): Unsent | undefined {
    const { phase } = record
    const now = platform.now()
    if (signal.aborted || turn.closed()) return 'stopped'
    if (engine.scope() !== turn.scope) return 'scope'
    if (record.origin !== undefined && record.origin !== origin) return 'origin'
    const leaseOver =
      phase.is !== 'sending' ||
      now >= phase.leaseUntil ||
      platform.monotonic() - startedAt >= phase.leaseMs
    return leaseOver || now >= keyExpiresAt(record) ? 'expired' : undefined
  }

  /** The turn is told to stop. */
  async function stop(): Promise<void> {
    if (signal.aborted && (signal.reason as StopReason) === 'aborted') return leave('aborted')
    if (seen && seen.ambiguous > 0) return leave('interrupted')
    throw signal.aborted
      ? new SendonceError(
          'aborted',
          `"${operation}" was discarded, forgotten or replaced; nothing was executed.`,
        )
      : new SendonceError('closed', `The client was closed; "${operation}" was not executed.`)
  }

  /**
   * Ends the turn between two attempts: unknown if one is ambiguous, else paused. Writes it down if the record is this
   * turn's to write, and leaves it alone otherwise.
   */
  async function leave(reason: ParkReason, because?: 'scope'): Promise<void> {
    if (!seen || isSettled(seen)) {
      if (because) return tell({ record: undefined })
      throw reason === 'aborted'
        ? new SendonceError('aborted', `"${operation}" was stopped before anything was sent.`)
        : new SendonceError(
            'not-sent',
            `Nothing was sent: another tab held "${operation}" for longer than this submit may take.`,
          )
    }
    const { phase } = seen
    const limited = phase.is === 'waiting' && phase.reason === 'rate-limited'
    const decision: Decision =
      seen.ambiguous > 0
        ? { do: 'park', reason, cleared: false }
        : { do: 'pause', reason: because ?? (limited ? 'rate-limited' : 'unavailable') }
    const mine = ours && !turn.closed() && phase.is === 'waiting' && phase.owner === engine.owner
    if (mine && (await obey(decision, undefined, undefined)) === 'over') return
    const parked = phase.is === 'unknown' || phase.is === 'paused'
    const mover = { owner: engine.owner, now: platform.now() }
    tell({ record: parked ? seen : advance(seen, decision, undefined, mover) })
  }

  function tellSettled(record: Settled): void {
    look(record)
    tell({ record, stored: true })
  }

  function tell(ending: Ending): void {
    const phase = ending.record?.phase
    if (phase && !ending.stored && phase.is !== 'sending' && phase.is !== 'waiting') {
      const reason = 'reason' in phase ? { reason: phase.reason } : {}
      engine.emit({ type: phase.is, ...reason }, operation, ending.record)
    }
    turn.tell(ending)
  }
}

/** The name of the Web Lock of an operation. */
export function lockName([name, scope, operation]: RecordKey): string {
  return `sendonce:${JSON.stringify([name, scope, operation])}`
}

function leaseOf(record: OperationRecord | undefined): number {
  return record?.phase.is === 'sending' ? record.phase.leaseMs : 0
}

/** The headers of every attempt: what was frozen, the key and what goes with it. */
function headersOf(record: OperationRecord, profile: ServerProfile): Record<string, string> {
  const { key, place, request, firstSentAt = record.startedAt } = record
  return {
    ...request.headers,
    ...(profile.requestId ? { [profile.requestId]: key } : {}),
    ...(place
      ? { ...profile.key?.companions?.({ key, firstSentAt }), [place.header]: wireKey(key, place) }
      : {}),
  }
}

/** For events: enough of a key to tell it from others. */
export function tailOf(record: OperationRecord | undefined): string | undefined {
  return record?.place && keyTail(record.key)
}
