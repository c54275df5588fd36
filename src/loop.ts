import { headOf } from './answer.ts'
import type { Hide, Taken } from './attempt.ts'
import { makeAttempt } from './attempt.ts'
import type { Claimed, Start } from './claim.ts'
import { claim, marked } from './claim.ts'
import type { Next } from './conclude.ts'
import { AGAIN, leave, obey, pauseAfter, staleness, tellUnlessMoved } from './conclude.ts'
import type { Moment } from './decide.ts'
import { decide, learn } from './decide.ts'
import { SendonceError } from './errors.ts'
import { Hold } from './hold.ts'
import { stopped } from './lifecycle.ts'
import { Patience } from './patience.ts'
import { noteCached } from './presence.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { OperationRecord, Phase } from './record.ts'
import { isSettled } from './record.ts'
import { askWhatHappened } from './recover.ts'
import type { Unsent } from './send.ts'
import { fetchToken } from './token.ts'
import type { Engine, StopReason, Turn } from './turn.ts'
import { barred, callOf } from './turn.ts'
import { wait } from './wait.ts'

/** The lease outlives the attempt by this, so that the attempt's own end is written by its own page. */
const LEASE_MARGIN_MS = 1_000

/** How often it is looked whether whoever sends is done, or gone; jittered, so that tabs do not ask in step. */
const POLL_MS = 150

/**
 * The loop. A click, a retry, a reload and a second tab are one more turn of it, with the same key. Resolves when
 * nothing is left to write; rejects, with a {@link SendonceError}, only where nothing was sent.
 */
export async function runTurn(engine: Engine, turn: Turn): Promise<void> {
  const { platform } = engine
  const { signal, policy, operation } = turn
  const { attemptTimeoutMs, deadlineMs } = policy
  const hold = new Hold(engine, turn)
  const patience = new Patience(platform)
  const began = platform.monotonic()
  let offlineMs = 0
  /** Attempts of this turn, those that cost none included. */
  let round = 0
  let state: Start | undefined

  const elapsedMs = () => platform.monotonic() - began - offlineMs

  for (;;) {
    if (signal.aborted || engine.closed()) return stop()
    if (engine.scope() !== turn.scope) {
      return leave(hold, 'interrupted', undefined, { because: 'scope' })
    }
    const next = await claimAndSend()
    if (!next) return
    const { waitMs, offline, hurry = false } = next
    if (waitMs === 0) continue
    const sleptFrom = platform.monotonic()
    patience.hurried = await wait(platform, waitMs, { signal, hurry, onNews: turn.onNews })
    if (offline) offlineMs += platform.monotonic() - sleptFrom
  }

  /** One round: the claim, and the attempt that it allows. */
  async function claimAndSend(): Promise<Next> {
    const claiming = state ?? (await turn.start)
    state = claiming
    if (!engine.present()) await engine.appeared()
    const startedAt = platform.monotonic()
    const isStale = staleness(hold)
    const claims = hold.change(old =>
      claim(old, {
        ...hold.mover,
        ...patience,
        start: claiming,
        asks: turn.asks,
        elapsedMs: platform.monotonic() - began,
        leaseMs: attemptTimeoutMs + LEASE_MARGIN_MS,
        attemptTimeoutMs,
        keepSettledMs: engine.keepSettledMs,
        present: engine.present(),
        shownAt: turn.shownAt(),
        online: platform.online(),
        hasBody: turn.bytes() !== undefined,
        profile: engine.profile,
      }),
    )
    // While the disk works. A page that lay in the back-forward cache has let its locks go: what it had claimed may be
    // another's now.
    const hide: Hide = { hidden: false, lease: undefined }
    const stopHide = platform.on('hide', () => {
      hide.hidden = true
      if (hide.lease) noteCached(platform, engine.owner, hide.lease)
    })
    try {
      const claimed = await claims
      patience.hurried = false
      if (claimed.is !== 'taken') return await notTaken(claimed, isStale)
      const { record, before } = claimed
      const profile = engine.profile(record.profile)
      if (!profile) return AGAIN
      state = { key: record.key }
      hold.ours = true
      if (turn.asks) {
        hold.look(record)
        return await askByHand(record, profile)
      }
      if (record.phase.is === 'sending') count()
      hold.look(record)
      hold.emit({ type: before?.phase.is === 'sending' ? 'took-over' : 'claimed' })
      return await prepare({ record, before, profile, startedAt, hide })
    } finally {
      stopHide()
    }
  }

  /** The claim stopped, or has to be made again later. */
  async function notTaken(
    claimed: Exclude<Claimed, { is: 'taken' }>,
    isStale: () => boolean,
  ): Promise<Next> {
    switch (claimed.is) {
      case 'over': {
        const { record } = claimed
        hold.look(record)
        return tellUnlessMoved(hold, { record, stored: isSettled(record) }, isStale)
      }
      case 'changed': {
        const { held } = claimed
        if (held && (await patience.losesSight(held.owner, held.tag))) return AGAIN
        throw new SendonceError(
          'payload-changed',
          `Nobody knows yet whether "${operation}" happened with another body: submit that again, resume or discard it.`,
        )
      }
      case 'unreadable':
        // What was sent before is not told as an error of which nothing comes.
        if (hold.seen && hold.seen.ambiguous > 0) return leave(hold, 'interrupted')
        throw new SendonceError(
          'storage',
          `The record of "${operation}" cannot be read: reload the page, or discard it.`,
        )
      case 'gone':
        return leave(hold, 'interrupted', 'aborted')
    }
    const { record, tag } = claimed
    const { phase } = record
    patience.met = record.key
    if (claimed.is === 'busy') {
      if (phase.is === 'sending' || phase.is === 'preparing') {
        if (phase.locked && (await patience.losesSight(phase.owner, tag))) return AGAIN
        patience.outwaits(tag, phase.leaseMs)
      }
      hold.look(record, true)
      if (elapsedMs() > deadlineMs) return leave(hold, 'deadline', 'not-sent')
      return { waitMs: Math.ceil(POLL_MS * (1 + platform.random())) }
    }
    const { waitMs } = claimed
    hold.look(record)
    // A clock that was set back does not make the wait longer than it was.
    if (patience.outwaits(tag, waitMs)) return AGAIN
    if (elapsedMs() + waitMs > deadlineMs) return leave(hold, 'deadline', 'not-sent')
    return { waitMs, hurry: phase.is === 'waiting' && phase.hurry }
  }

  /**
   * Fetches the token that a claim has found missing, if it has, and writes it down under the fence before it is sent
   * (rule 7).
   */
  async function prepare(taken: Taken): Promise<Next> {
    const { record, profile, startedAt } = taken
    if (record.phase.is !== 'preparing' || !profile.token) return attempt(taken)
    const leftMs = attemptTimeoutMs - (platform.monotonic() - startedAt)
    const how = callOf(engine, turn, leftMs)
    const { token, response, cause } = await fetchToken(platform, profile.token, how)
    const stopped = barred(engine, turn)
    if (stopped) return unsent(taken, stopped, undefined)
    if (!token) {
      const offline = !response && !platform.online()
      const decision = decide(record, { is: 'no-token', offline }, profile, policy, moment(false))
      return obey(hold, decision, response && headOf(response), cause)
    }
    const phase: Phase = { ...record.phase, is: 'sending' }
    const ready = (theirs: OperationRecord) => marked({ ...theirs, token, phase }, token.at)
    if (!(await hold.write(record, ready, { strictly: true }))) return AGAIN
    const prepared = ready(record)
    count()
    hold.look(prepared)
    hold.emit({ type: 'token-fetched' })
    return attempt({ ...taken, record: prepared })
  }

  /** Asks what happened, by hand: sends nothing that could have an effect, and writes only what was learnt. */
  async function askByHand(record: OperationRecord, profile: ServerProfile): Promise<Next> {
    const { as, final, answer, cause } = await askWhatHappened(engine, turn, record, profile)
    const decision = learn(as, final)
    return decision
      ? obey(hold, decision, answer, cause)
      : leave(hold, 'interrupted', undefined, { cause })
  }

  function moment(timedOut: boolean, retryAfter?: number): Moment {
    return {
      now: platform.now(),
      spent: hold.spent,
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
    hold.spent += 1
  }

  /** One attempt: send and read, decide, write. */
  async function attempt(taken: Taken): Promise<Next> {
    const { record, profile } = taken
    const { ended, answer, cause, retryAfterMs } = await makeAttempt(hold, taken)
    if (ended.is === 'unsent' && ended.because !== 'timeout') {
      return unsent(taken, ended.because, cause)
    }
    const timedOut = 'because' in ended && ended.because === 'timeout'
    const now = moment(timedOut, retryAfterMs)
    const decision = decide(hold.seen ?? record, ended, profile, policy, now)
    if (decision.costs) engine.budget.spend(timedOut)
    else if (decision.phase.is === 'waiting') {
      hold.spent -= 1
      // Time offline is nobody's refusal: the backoff does not grow with it.
      if (decision.phase.reason === 'offline') round -= 1
    } else if (decision.phase.is === 'succeeded') engine.budget.earn(hold.spent > 1)
    // What had happened before is not told by the answer that came after it.
    const success =
      ended.is === 'recovered' || (ended.is === 'answered' && ended.verdict.is === 'success')
    const told = decision.phase.is !== 'succeeded' || success ? answer : undefined
    return obey(hold, decision, told, cause)
  }

  /** Nothing left: the claim is undone, as if it had not been made. */
  async function unsent(
    { record, before }: Taken,
    because: Exclude<Unsent, 'timeout'>,
    cause: unknown,
  ): Promise<Next> {
    const isKept = before?.key === record.key
    // A refusal whose key is kept is no answer to this submit: it has sent nothing, and is still to be taken up.
    const bound = isKept && !isSettled(before)
    const threw = because === 'hook' || because === 'origin'
    // A wait that another page began is this page's to end now: that page may have stopped meanwhile.
    const rest = ({ phase, ambiguous }: OperationRecord): Phase => {
      if (phase.is !== 'waiting') return phase
      return threw && ambiguous === 0
        ? { is: 'paused', reason: pauseAfter(phase) }
        : { ...phase, owner: engine.owner }
    }
    const restored = isKept ? { ...before, attempt: record.attempt, phase: rest(before) } : before
    // Somebody else has moved the record: it is looked at again, and its key is never minted anew (rule 1).
    if (!(await hold.write(record, () => restored))) return AGAIN
    hold.look(restored)
    hold.ours = bound
    if (!bound) state = undefined
    if (threw) {
      if (bound && before.ambiguous > 0) {
        return obey(hold, { phase: stopped(before, 'interrupted') }, undefined, cause)
      }
      throw new SendonceError(
        'not-sent',
        because === 'hook'
          ? `Nothing was sent: ky or a hook of it threw (${String(cause)}).`
          : `Nothing was sent: "${operation}" was sent to another origin, and your ky would send it elsewhere now.`,
        { cause },
      )
    }
    return because === 'expired' && hold.spent >= policy.maxAttempts
      ? leave(hold, 'attempts', 'not-sent')
      : AGAIN
  }

  /** The turn is told to stop. */
  function stop(): Promise<undefined> {
    if (!signal.aborted) return leave(hold, 'interrupted', 'closed')
    const reason: StopReason = signal.reason
    return leave(hold, reason === 'aborted' ? 'aborted' : 'interrupted', 'aborted')
  }
}
