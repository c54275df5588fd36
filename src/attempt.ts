import { webAddress } from './address.ts'
import { headOf, replyOf } from './answer.ts'
import { keyExpiresAt } from './collect.ts'
import type { Answered } from './decide.ts'
import { historyOf } from './decide.ts'
import type { Hold } from './hold.ts'
import type { Lease } from './presence.ts'
import type { ServerProfile } from './profiles/profile.ts'
import { pollOf, readReply, retryOf } from './profiles/read.ts'
import type { Answer, OperationRecord } from './record.ts'
import { askWhatHappened } from './recover.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Sent, Unsent } from './send.ts'
import { send } from './send.ts'
import { barred, bytesOf, callOf } from './turn.ts'
import type { Wire } from './wire.ts'
import { wireOf } from './wire.ts'

/** Whether the page was hidden in this round, and the lease of what it has on its way. */
export interface Hide {
  hidden: boolean
  lease: Lease | undefined
}

/** A record that a turn has taken, to send it. */
export interface Taken {
  readonly record: OperationRecord
  /** What to go back to if nothing leaves. */
  readonly before: OperationRecord | undefined
  readonly profile: ServerProfile
  /** When its claim began, by the monotonic clock. */
  readonly startedAt: number
  readonly hide: Hide
}

/** What came of an attempt. */
export interface Attempted {
  /** Unsent for another reason than its time: it was none, and its claim is undone. */
  readonly ended: Answered | { readonly is: 'unsent'; readonly because: Exclude<Unsent, 'timeout'> }
  readonly answer?: Answer | undefined
  readonly cause?: unknown
  readonly retryAfterMs?: number | undefined
}

/** Makes one attempt, reads what comes back, and asks what happened where that says that it did before. */
export async function makeAttempt(hold: Hold, taken: Taken): Promise<Attempted> {
  const { engine, turn } = hold
  const { record, profile, startedAt, hide } = taken
  const { platform } = engine
  const { phase } = record
  const lease: Lease = phase.is === 'sending' ? phase : { leaseUntil: 0, leaseMs: 0 }
  let wire: Wire
  try {
    wire = wireOf(record, profile, bytesOf(record, turn))
  } catch (cause) {
    // The profile's own code threw.
    return { ended: { is: 'unsent', because: 'hook' }, cause }
  }
  /** Where it goes by itself. Only the app's ky knows the base of a relative address, and an `about:` page has none. */
  const implied = () =>
    webAddress(record.request.url, engine.ky ? undefined : globalThis.location?.href)?.origin
  // Only a first attempt may go where a hook of the app sends it.
  const expected = record.origin ?? (record.ambiguous > 1 || record.poll ? implied() : undefined)
  const elapsedMs = () => platform.monotonic() - startedAt
  let origin: string | undefined

  const sent = await send(platform, {
    ...callOf(engine, turn, turn.policy.attemptTimeoutMs - elapsedMs()),
    ...wire,
    headers: { ...wire.headers, ...turn.guardHeaders },
    // Rule 6: the last look before it leaves.
    look(to) {
      const stopped = barred(engine, turn, to)
      if (stopped) return stopped
      if (hide.hidden) return 'expired'
      if (expected === undefined ? record.poll : expected !== to) return 'origin'
      const now = platform.now()
      const leaseOver = now >= lease.leaseUntil || elapsedMs() >= lease.leaseMs
      const keyOver = !record.poll && now >= keyExpiresAt(record)
      return leaseOver || keyOver ? 'expired' : undefined
    },
    onSent(to) {
      origin = to
      hide.lease = { leaseUntil: lease.leaseUntil, leaseMs: lease.leaseMs }
      if (to !== (record.origin ?? implied())) hold.note(record, { origin: to })
      hold.post()
      hold.emit({ type: 'sent' })
    },
    onHead(response) {
      const reply = replyOf(response, undefined, record.poll)
      const verdict = readReply(profile, reply, historyOf(record))
      if (verdict.is !== 'success') return
      const happened = headOf(response)
      hold.seen = { ...record, happened }
      hold.note(record, { happened })
    },
  })
  hide.lease = undefined

  if (origin) engine.hints?.attempted(origin, sent, wire)
  if (sent.is === 'answered') return read(hold, taken, sent)
  if (sent.is === 'unanswered') hold.emit({ type: 'unanswered', because: sent.because })
  return { ended: sent, cause: sent.cause }
}

async function read(
  hold: Hold,
  { record, profile }: Taken,
  { response, url, body }: Extract<Sent, { is: 'answered' }>,
): Promise<Attempted> {
  const { engine, turn } = hold
  const reply = replyOf(response, body, record.poll)
  const { status, bodyLost } = reply
  const verdict = readReply(profile, reply, historyOf(record))
  const answer = body ? { ...headOf(response), body } : headOf(response)
  hold.emit({ type: 'answered', status, verdict: verdict.is })
  if (bodyLost) hold.emit({ type: 'unanswered', because: 'body-lost' })
  if (verdict.is === 'duplicate' && profile.recover && !record.happened) {
    const learnt = await askWhatHappened(engine, turn, record, profile, reply)
    const { as, final, cause } = learnt
    const ended: Answered = { is: 'recovered', as, final }
    return { ended, answer: learnt.answer ?? answer, cause }
  }
  const poll = verdict.is === 'pending' ? pollOf(reply, verdict.poll, url) : undefined
  const retry = retryOf(reply, profile.pace)
  return {
    ended: { is: 'answered', status, bodyLost, verdict, retry, poll },
    answer,
    retryAfterMs: retryAfterMs(reply, profile.pace, engine.platform.now()),
  }
}
