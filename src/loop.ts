import { headOf } from './answer.ts'
import type { Hide } from './attempt.ts'
import { callOf, inquire, makeAttempt } from './attempt.ts'
import type { Bound, Claimed, Fresh } from './claim.ts'
import { claim, marked, unsent as notSent } from './claim.ts'
import type { Decision, Moment, NextPhase } from './decide.ts'
import { decide, learn } from './decide.ts'
import { SendonceError } from './errors.ts'
import { advance } from './lifecycle.ts'
import { isThere, noteCached } from './presence.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { Answer, OperationRecord, ParkReason, Phase } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import type { Unsent } from './send.ts'
import type { Change } from './store/store.ts'
import { fetchToken } from './token.ts'
import type { Ending, Engine, EventDetail, StopReason, Turn } from './turn.ts'
import { barred } from './turn.ts'
import { wait } from './wait.ts'

/** The lease outlives the attempt by this, so that the attempt's own end is written by its own page. */
const LEASE_MARGIN_MS = 1_000

/** How often it is looked whether whoever sends is done, or gone; jittered, so that tabs do not ask in step. */
const POLL_MS = 150

/** Why a turn that never had an attempt ends with an error. */
const NOTHING_SENT = {
  aborted: 'it was aborted, discarded, forgotten or replaced',
  closed: 'the client was closed',
  'not-sent': 'another tab was at it for longer than this submit may take',
} as const

/** What a round leaves to do: nothing, or another one after a wait. */
type Next =
  | { readonly waitMs: number; readonly hurry?: boolean; readonly offline?: boolean }
  | undefined

const AGAIN: Next = { waitMs: 0 }

/**
 * The loop. A click, a retry, a reload and a second tab are one more turn of it, with the same key. Resolves when
 * nothing is left to write; rejects, with a {@link SendonceError}, only where nothing was sent.
 */
export async function runTurn(engine: Engine, turn: Turn): Promise<void> {
  const { platform, records } = engine
  const { signal, policy, operation, scope } = turn
  const leaseMs = policy.attemptTimeoutMs + LEASE_MARGIN_MS
  const began = platform.monotonic()
  let offlineMs = 0
  let round = 0
  let spent = 0
  let state: Fresh | Bound | undefined
  /** The record as this turn last saw it, and whether this turn has moved it. */
  let seen: OperationRecord | undefined
  let ours = false
  let watched: { readonly tag: string; readonly since: number } | undefined
  let outwaited: string | undefined
  let hurried = false
  /** An owner that was seen to be gone. */
  let gone: string | undefined
  /** The key of an unsettled record that this turn has met. */
  let met: string | undefined

  const mover = () => ({ owner: engine.owner, now: platform.now() })
  const elapsedMs = () => platform.monotonic() - began - offlineMs
  const emit = (event: EventDetail) => engine.emit(event, operation, seen)

  for (;;) {
    if (signal.aborted || turn.closed()) return stop()
    if (engine.scope() !== scope) return leave('interrupted', undefined, { because: 'scope' })

    const next = await claimAndSend()
    if (!next) return
    if (next.waitMs === 0) continue

    const sleptFrom = platform.monotonic()
    const woken = await wait(platform, next.waitMs, {
      signal,
      hurry: next.hurry === true,
      onNews: turn.onNews,
    })
    if (next.offline) offlineMs += platform.monotonic() - sleptFrom
    hurried = woken === 'hurry'
  }

  /** One round: the claim, and the attempt that it allows. */
  async function claimAndSend(): Promise<Next> {
    const claiming = state ?? (await turn.start)
    state = claiming
    if (!engine.present()) await engine.appeared()
    const startedAt = platform.monotonic()
    // A page that lay in the back-forward cache has let its locks go: what it had claimed may be another's now.
    const hide: Hide = { hidden: false, lease: undefined }
    const stopHide = platform.on('hide', () => {
      hide.hidden = true
      if (hide.lease) noteCached(platform, engine.owner, hide.lease)
    })
    try {
      const claimed = await change(old =>
        claim(old, {
          ...mover(),
          turn: claiming,
          leaseMs,
          attemptTimeoutMs: policy.attemptTimeoutMs,
          keepSettledMs: engine.keepSettledMs,
          present: engine.present(),
          gone,
          outwaited,
          hurried,
          shownAt: turn.shownAt(),
          met,
          online: platform.online(),
          hasBody: turn.bytes() !== undefined,
          profile: engine.profile,
        }),
      )
      hurried = false
      if (claimed.is !== 'taken') return await notTaken(claimed)
      const { record, before } = claimed
      const profile = engine.profile(record.profile)
      if (!profile) return AGAIN
      const asks = claiming.is === 'bound' && claiming.asks === true
      state = { is: 'bound', key: record.key, asks }
      ours = true
      if (!asks && record.phase.is === 'sending') count()
      look(record)
      if (asks) return await askByHand(record, profile)
      emit({ type: before?.phase.is === 'sending' ? 'took-over' : 'claimed' })
      const ready = await prepare(record, before, profile, startedAt)
      return 'record' in ready
        ? await attempt(ready.record, before, profile, startedAt, hide)
        : ready.next
    } finally {
      stopHide()
    }
  }

  /** The claim stopped, or has to be made again later. */
  async function notTaken(claimed: Exclude<Claimed, { is: 'taken' }>): Promise<Next> {
    switch (claimed.is) {
      case 'settled':
        return tell({ record: claimed.record, stored: true })
      case 'parked':
        look(claimed.record)
        return tell({ record: claimed.record })
      case 'changed': {
        const dead = claimed.by !== undefined && claimed.by !== gone
        if (dead && !(await isThere(platform, claimed.by))) {
          gone = claimed.by
          return AGAIN
        }
        throw new SendonceError(
          'payload-changed',
          `Nobody knows yet whether "${operation}" happened with another body: submit that again, resume or discard it.`,
        )
      }
      case 'unreadable':
        throw new SendonceError(
          'storage',
          `The record of "${operation}" cannot be read: reload the page, or discard it.`,
        )
      case 'gone':
        return leave('interrupted', 'aborted')
      case 'busy': {
        const { record, tag } = claimed
        const { phase } = record
        met = record.key
        if (phase.is === 'sending' || phase.is === 'preparing') {
          const { owner, locked } = phase
          if (locked && owner !== gone && !(await isThere(platform, owner))) {
            gone = owner
            return AGAIN
          }
          if (watch(tag) >= phase.leaseMs) outwaited = tag
        }
        look(record, true)
        if (elapsedMs() > policy.deadlineMs) return leave('deadline', 'not-sent')
        return { waitMs: Math.ceil(POLL_MS * (1 + platform.random())) }
      }
      case 'early': {
        const { record, waitMs, tag } = claimed
        met = record.key
        look(record)
        // A clock that was set back does not make the wait longer than it was.
        if (watch(tag) >= waitMs) {
          outwaited = tag
          return AGAIN
        }
        if (elapsedMs() + waitMs > policy.deadlineMs) return leave('deadline', 'not-sent')
        const { phase } = record
        return { waitMs, hurry: phase.is === 'waiting' && phase.hurry }
      }
    }
  }

  /** How long, by this page's own clock, the record has been as it is. */
  function watch(tag: string): number {
    const now = platform.monotonic()
    if (watched?.tag !== tag) watched = { tag, since: now }
    return now - watched.since
  }

  /** Fetches the token that a claim has found missing, and writes it down under the fence before it is sent (rule 7). */
  async function prepare(
    record: OperationRecord,
    before: OperationRecord | undefined,
    profile: ServerProfile,
    startedAt: number,
  ): Promise<{ readonly record: OperationRecord } | { readonly next: Next }> {
    if (record.phase.is !== 'preparing' || !profile.token) return { record }
    const leftMs = policy.attemptTimeoutMs - (platform.monotonic() - startedAt)
    const how = callOf(engine, turn, leftMs)
    const { token, response, cause } = await fetchToken(platform, profile.token, how)
    const stopped = barred(engine, turn)
    if (stopped) return { next: await unsent(record, before, stopped, undefined) }
    if (!token) {
      const offline = !response && !platform.online()
      const decision = decide(record, { is: 'no-token', offline }, profile, policy, moment(false))
      return { next: await obey(decision, response && headOf(response), cause) }
    }
    const phase: Phase = { ...record.phase, is: 'sending' }
    const ready = (theirs: OperationRecord) => {
      // What the claim had counted as unsent is sent now.
      const left = (theirs.unsent ?? 1) - 1
      return marked({ ...theirs, unsent: left, token, phase }, token.at)
    }
    if (!(await fenced(record, ready, { strictly: true }))) return { next: AGAIN }
    const prepared = ready(record)
    count()
    look(prepared)
    emit({ type: 'token-fetched' })
    return { record: prepared }
  }

  /** Asks what happened, by hand: sends nothing that could have an effect, and writes only what was learnt. */
  async function askByHand(record: OperationRecord, profile: ServerProfile): Promise<Next> {
    const { as, final, answer, cause } = await inquire(engine, turn, record, profile)
    const decision = learn(as, final)
    return decision ? obey(decision, answer, cause) : leave('interrupted', undefined, { cause })
  }

  function moment(timedOut: boolean, retryAfter?: number): Moment {
    return {
      now: platform.now(),
      spent,
      round,
      elapsedMs: elapsedMs(),
      online: platform.online(),
      random: platform.random(),
      affordable: engine.budget.affords(timedOut),
      retryAfterMs: retryAfter,
    }
  }

  /** An attempt is about to be made. */
  function count(): void {
    round += 1
    spent += 1
  }

  /** One attempt: send and read, decide, write. */
  async function attempt(
    record: OperationRecord,
    before: OperationRecord | undefined,
    profile: ServerProfile,
    startedAt: number,
    hide: Hide,
  ): Promise<Next> {
    const writes: Promise<unknown>[] = []
    const write = (changes: Partial<OperationRecord>) => {
      writes.push(fenced(record, theirs => ({ ...theirs, ...changes })))
    }
    const made = await makeAttempt({
      engine,
      turn,
      record,
      profile,
      startedAt,
      hide,
      onSent(origin) {
        if (origin) write({ origin })
        post()
        emit({ type: 'sent' })
      },
      onHappened(happened) {
        seen = { ...record, happened }
        write({ happened })
      },
      emit,
    })
    if (made.is === 'unsent') return unsent(record, before, made.because, made.cause)
    const { ended, answer, cause, retryAfterMs } = made
    const timedOut =
      ended.is === 'unsent' || (ended.is === 'unanswered' && ended.because === 'timeout')
    const now = moment(timedOut, retryAfterMs)
    const decision = decide(seen ?? record, ended, profile, policy, now)
    if (decision.costs) engine.budget.spend(timedOut)
    else if (decision.phase.is === 'waiting') {
      spent -= 1
      // Time offline is nobody's refusal: the backoff does not grow with it.
      if (decision.phase.reason === 'offline') round -= 1
    } else if (decision.phase.is === 'succeeded') engine.budget.earn(spent > 1)
    // What had happened before is not told by the answer that came after it.
    const success =
      ended.is === 'recovered' || (ended.is === 'answered' && ended.verdict.is === 'success')
    const told = decision.phase.is !== 'succeeded' || success ? answer : undefined
    return obey(decision, told, cause, writes)
  }

  /** Writes a decision under the fence, and says what is next. */
  async function obey(
    decision: Decision,
    answer?: Answer,
    cause?: unknown,
    writes: readonly Promise<unknown>[] = [],
  ): Promise<Next> {
    const base = seen
    if (!base) return
    const when = mover()
    const move = (theirs: OperationRecord) => advance(theirs, decision, answer, when)
    const moved = move(base)
    const ending: Ending = {
      record: moved,
      ...(answer && { answer }),
      ...(cause !== undefined && { cause }),
    }
    const success = decision.phase.is === 'succeeded'
    const written = fenced(base, move, { success })
    // A success is certain whatever becomes of its record; the caller need not wait for the disk.
    if (success) {
      look(moved)
      tell(ending)
    }
    const [held] = await Promise.all([written, ...writes])
    if (success) return
    // Somebody else has moved the record (rule 3): the decision is dropped, and what they made of it is looked at.
    if (!held) return AGAIN
    look(moved)
    const { phase } = moved
    if (phase.is !== 'waiting') return tell(ending)
    const { reason, nextAttemptAt, waitMs, hurry } = phase
    emit({ type: 'waiting', reason, nextAttemptAt })
    return { waitMs, hurry, offline: reason === 'offline' }
  }

  /** Nothing left: the claim is undone, as if it had not been made. */
  async function unsent(
    record: OperationRecord,
    before: OperationRecord | undefined,
    because: Exclude<Unsent, 'timeout'>,
    cause: unknown,
  ): Promise<Next> {
    const bound = before?.key === record.key
    const restored = before && bound ? notSent({ ...before, attempt: record.attempt }) : before
    // Somebody else has moved the record: it is looked at again, and its key is never minted anew (rule 1).
    if (!(await fenced(record, () => restored))) return AGAIN
    look(restored)
    ours = bound
    if (!bound) state = undefined
    if (because === 'hook' || because === 'origin') {
      if (bound && before.ambiguous > 0) {
        return obey({ phase: { is: 'unknown', reason: 'interrupted' } }, undefined, cause)
      }
      throw new SendonceError(
        'not-sent',
        because === 'hook'
          ? `Nothing was sent: a hook of your ky threw (${String(cause)}).`
          : `Nothing was sent: "${operation}" was sent to another origin, and your ky would send it elsewhere now.`,
        { cause },
      )
    }
    return because === 'expired' && spent >= policy.maxAttempts
      ? leave('attempts', 'not-sent')
      : AGAIN
  }

  /** The turn is told to stop. */
  function stop(): Promise<undefined> {
    if (!signal.aborted) return leave('interrupted', 'closed')
    const reason: StopReason = signal.reason
    return leave(reason === 'aborted' ? 'aborted' : 'interrupted', 'aborted')
  }

  /**
   * Ends the turn between two attempts: unknown if one is ambiguous, else paused; rejects with `code` where there is
   * no attempt. Writes it down if the record is this turn's to write, and leaves it alone otherwise.
   */
  async function leave(
    reason: ParkReason,
    code: keyof typeof NOTHING_SENT | undefined,
    { because, ...learnt }: { because?: 'scope'; cause?: unknown } = {},
  ): Promise<undefined> {
    const ending = ({ phase, ambiguous, happened }: OperationRecord): NextPhase => {
      if (happened) return { is: 'succeeded', from: 'reply', bodyLost: true }
      if (ambiguous > 0) return { is: 'unknown', reason }
      const limited = phase.is === 'waiting' && phase.reason === 'rate-limited'
      return { is: 'paused', reason: because ?? (limited ? 'rate-limited' : 'unavailable') }
    }
    const waits = seen?.phase.is === 'waiting' && seen.phase.owner === engine.owner
    // Told by `obey`, unless the record has been moved or taken away meanwhile.
    if (seen && waits && ours && !turn.closed()) {
      if (!(await obey({ phase: ending(seen) }))) return
    }
    // What is told has to be true now, whoever has moved the record since this turn saw it.
    const record = seen && !isSettled(seen) ? await latest(seen) : undefined
    const untried = record?.phase.is === 'preparing' && record.ambiguous === 0
    if (!record || (untried && code)) {
      if (code)
        throw new SendonceError(code, `Nothing of "${operation}" was sent: ${NOTHING_SENT[code]}.`)
      return tell({ record: undefined })
    }
    if (isSettled(record)) return tell({ record, stored: true })
    const { phase } = record
    if (phase.is === 'unknown' || phase.is === 'paused') return tell({ record, ...learnt })
    const moved = advance(record, { phase: ending(record) }, undefined, mover())
    return tell({ record: moved, ...learnt })
  }

  /** The record as it is now; one that is gone, or cannot be read, as it may have been sent since. */
  async function latest(base: OperationRecord): Promise<OperationRecord> {
    const found = await records.read(turn.at).then(parseRecord, () => undefined)
    if (found?.is === 'record' && found.record.key === base.key) return found.record
    const stub = found?.is === 'stub' && found.stub.key === base.key ? found.stub : undefined
    const sent = stub ? stub.ambiguous > 0 || stub.stub === 'succeeded' : true
    return sent && base.ambiguous === 0 ? { ...base, ambiguous: 1 } : base
  }

  function tell(ending: Ending): undefined {
    const phase = ending.record?.phase
    const ended =
      phase && phase.is !== 'preparing' && phase.is !== 'sending' && phase.is !== 'waiting'
    if (ended && !ending.stored) {
      engine.emit(
        { type: phase.is, ...('reason' in phase && { reason: phase.reason }) },
        operation,
        ending.record,
      )
    }
    turn.tell(ending)
  }

  function look(record: OperationRecord | undefined, queued = false): void {
    seen = record
    turn.show(record, queued, spent)
  }

  function post(): void {
    engine.broadcast.post({ scope, operation })
  }

  function change<R>(decideChange: (old: unknown) => Change<R>, relaxed = false): Promise<R> {
    return records.change(turn.at, decideChange, {
      onStorageFailure: turn.onStorageFailure,
      mine: ours ? seen : undefined,
      ...(relaxed && { durability: 'relaxed' }),
    })
  }

  /**
   * Writes, or deletes, what `move` makes of the record, if it is still the one that was claimed (rules 3 and 4). A
   * success may be written over another attempt of the same key. Resolves with whether it was.
   */
  async function fenced(
    base: OperationRecord,
    move: (record: OperationRecord) => OperationRecord | undefined,
    { success = false, strictly = false }: { success?: boolean; strictly?: boolean } = {},
  ): Promise<boolean> {
    const held = await change<boolean>(old => {
      const found = parseRecord(old)
      const theirs = found.is === 'record' && found.record.key === base.key && found.record
      const holds =
        theirs &&
        (success
          ? theirs.phase.is !== 'succeeded'
          : theirs.attempt === base.attempt && !isSettled(theirs))
      if (!holds) return { result: false }
      const keep = move(theirs)
      return keep ? { keep, result: true } : { drop: true, result: true }
    }, !strictly)
    if (held) post()
    return held
  }
}
