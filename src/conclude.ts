import { tagOf } from './claim.ts'
import type { Decision, NextPhase } from './decide.ts'
import { SendonceError } from './errors.ts'
import type { Hold } from './hold.ts'
import { advance, stopped } from './lifecycle.ts'
import type { Answer, Found, OperationRecord, ParkReason, Phase } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import type { Ending } from './turn.ts'

/** What a round leaves to do: nothing, or another one after a wait. */
export type Next =
  | {
      readonly waitMs: number
      readonly hurry?: boolean | undefined
      readonly offline?: boolean | undefined
    }
  | undefined

export const AGAIN: Next = { waitMs: 0 }

/** Another page needs longer, for its claim and a round trip, to have something executed. */
const STALE_AFTER_MS = 2
/** So often a page looks again that was held up meanwhile: frozen, cached, busy, or by its disk. */
const MOST_LOOKS = 3

/** Why a turn that never had an attempt ends with an error. */
const NOTHING_SENT = {
  aborted: 'it was aborted, discarded, forgotten or replaced',
  closed: 'the client was closed',
  'not-sent': 'another tab was at it for longer than this submit may take',
} as const

/** Writes a decision under the fence, and says what is next. */
export async function obey(
  hold: Hold,
  decision: Decision,
  answer?: Answer,
  cause?: unknown,
): Promise<Next> {
  const base = hold.seen
  if (!base) return
  const { mover } = hold
  const isStale = staleness(hold)
  const move = (theirs: OperationRecord) => advance(theirs, decision, answer, mover)
  const moved = move(base)
  const success = decision.phase.is === 'succeeded'
  const ending = { record: moved, answer, cause }
  // A success is certain whatever becomes of its record: its caller goes on before a transaction is opened (0.4 ms).
  if (success) {
    hold.look(moved)
    await tell(hold, ending)
  }
  const written = hold.write(base, move, { success })
  const [held] = await Promise.all([written, ...hold.notes.splice(0)])
  if (success) return
  // Somebody else has moved the record (rule 3): the decision is dropped, and what they made of it is looked at.
  if (!held) return AGAIN
  hold.look(moved)
  const { phase } = moved
  if (phase.is !== 'waiting') return tellUnlessMoved(hold, ending, isStale)
  const { reason, nextAttemptAt, waitMs, hurry } = phase
  hold.emit({ type: 'waiting', reason, nextAttemptAt })
  return { waitMs, hurry, offline: reason === 'offline' }
}

/**
 * Says how the turn has ended, unless that was seen or written as one of which nothing has happened: that was true then,
 * and others may have gone on from there with the same key.
 */
export async function tellUnlessMoved(
  hold: Hold,
  ending: Ending & { readonly record: OperationRecord },
  isStale: () => boolean,
): Promise<Next> {
  const { record, cause } = ending
  const { is } = record.phase
  if ((is === 'paused' || is === 'refused') && isStale()) {
    const found = await look(hold)
    if (found?.record?.key === record.key) {
      if (tagOf(found.record) !== tagOf(record)) return AGAIN
      // A refusal stays one.
    } else if (is === 'paused') {
      return leave(hold, 'interrupted', undefined, { cause })
    }
  }
  return tell(hold, ending)
}

/**
 * Ends the turn between two attempts: unknown if one is ambiguous, else paused; rejects with `code` where there is
 * no attempt. Writes it down if the record is this turn's to write, and leaves it alone otherwise.
 */
export async function leave(
  hold: Hold,
  reason: ParkReason,
  code?: keyof typeof NOTHING_SENT,
  { because, cause }: { because?: 'scope' | undefined; cause?: unknown } = {},
): Promise<undefined> {
  const { engine, turn, seen, ours } = hold
  const ending = (record: OperationRecord): NextPhase => {
    const pause = because ?? pauseAfter(record.phase)
    return stopped(record, reason, record.ambiguous > 0 ? undefined : pause)
  }
  const waits = (record?: OperationRecord): record is OperationRecord =>
    record?.phase.is === 'waiting' && record.phase.owner === engine.owner && ours
  // Told by `obey`, unless the record has been moved or taken away meanwhile.
  if (waits(seen) && !engine.closed()) {
    if (!(await obey(hold, { phase: ending(seen) }))) return
  }
  // What is told has to be true now, whoever has moved the record since this turn saw it.
  const record = await latest(hold)
  // Who asks what happened moves it on, and leaves its wait to whom it belongs to.
  if (waits(record) && record.attempt !== seen?.attempt) {
    hold.look(record)
    return leave(hold, reason, code, { because, cause })
  }
  const untried = record?.phase.is === 'preparing' && record.ambiguous === 0
  if (!record || (untried && code)) {
    if (!code) return tell(hold, { record: undefined })
    const message = `Nothing of "${turn.operation}" was sent: ${NOTHING_SENT[code]}.`
    throw new SendonceError(code, message)
  }
  if (isSettled(record)) return tell(hold, { record, stored: true })
  const { is } = record.phase
  // What was paused here may have been sent by others since, and be gone.
  const parked = is === 'unknown' || (is === 'paused' && record.ambiguous === 0)
  const told = parked ? record : advance(record, { phase: ending(record) }, undefined, hold.mover)
  return tell(hold, { record: told, cause })
}

/** Why a record of which nothing has happened stops where it is. */
export function pauseAfter(phase: Phase): 'rate-limited' | 'unavailable' {
  return phase.is === 'waiting' && phase.reason === 'rate-limited' ? phase.reason : 'unavailable'
}

/** The record as it is now; one that is gone, or cannot be read, as it may have been sent since. */
async function latest(hold: Hold): Promise<OperationRecord | undefined> {
  const { seen } = hold
  if (!seen || isSettled(seen)) return undefined
  const found = await look(hold)
  if (found?.record?.key === seen.key) return found.record
  const stub = found?.stub?.key === seen.key ? found.stub : undefined
  const sent = !stub || stub.ambiguous > 0 || stub.stub === 'succeeded'
  return sent && seen.ambiguous === 0 ? { ...seen, ambiguous: 1 } : seen
}

/** What lies there now; undefined where that cannot be read. */
async function look(hold: Hold, looks = MOST_LOOKS): Promise<Found | undefined> {
  const { engine, turn } = hold
  const isStale = staleness(hold)
  const found = await engine.records.read(turn.at).then(parseRecord, () => undefined)
  return isStale() && looks > 1 ? look(hold, looks - 1) : found
}

/** Whether what is seen now may have been changed before it was heard of, by this page's own clock. */
export function staleness({ engine: { platform } }: Hold): () => boolean {
  const from = platform.monotonic()
  return () => platform.monotonic() - from > STALE_AFTER_MS
}

/** Says how the turn has ended. */
export function tell({ engine, turn }: Hold, ending: Ending): Promise<undefined> {
  const { record, stored } = ending
  const phase = record?.phase
  if (stored) engine.emit({ type: 'joined' }, turn.operation, record)
  // Of what another tab is at, that tab tells.
  else if (phase && !('owner' in phase)) {
    const reason = 'reason' in phase ? phase.reason : undefined
    const from = 'from' in phase ? phase.from : undefined
    engine.emit({ type: phase.is, reason, from }, turn.operation, record)
  }
  return turn.tell(ending)
}
