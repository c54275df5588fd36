import { headOf, replyOf } from './answer.ts'
import { keyExpiresAt } from './collect.ts'
import type { Answered } from './decide.ts'
import { historyOf } from './decide.ts'
import type { Lease } from './presence.ts'
import type { Reply, ServerProfile } from './profiles/profile.ts'
import { pollOf, readReply, retryOf } from './profiles/read.ts'
import type { Answer, OperationRecord } from './record.ts'
import type { Learnt } from './recover.ts'
import { askWhatHappened } from './recover.ts'
import { retryAfterMs } from './retry-after.ts'
import type { SendOptions, Unsent } from './send.ts'
import { send } from './send.ts'
import type { Engine, EventDetail, Turn } from './turn.ts'
import { barred } from './turn.ts'
import type { Wire } from './wire.ts'
import { wireOf } from './wire.ts'

/** Whether the page was hidden in this round, and the lease of what it has on its way. */
export interface Hide {
  hidden: boolean
  lease: Lease | undefined
}

export interface AttemptOptions {
  readonly engine: Engine
  readonly turn: Turn
  /** As it was claimed. */
  readonly record: OperationRecord
  readonly profile: ServerProfile
  /** When its claim began, by the monotonic clock. */
  readonly startedAt: number
  readonly hide: Hide
  /** It leaves; for this origin, where that was not known before. */
  readonly onSent: (origin: string | undefined) => void
  /** A 2xx is here, and its body is not yet. */
  readonly onHappened: (head: Answer) => void
  readonly emit: (event: EventDetail) => void
}

/** What came of an attempt. */
export type Attempted =
  | { readonly is: 'unsent'; readonly because: Exclude<Unsent, 'timeout'>; readonly cause: unknown }
  | {
      readonly is: 'ended'
      readonly ended: Answered
      readonly answer?: Answer | undefined
      readonly cause?: unknown
      readonly retryAfterMs?: number | undefined
    }

/** Makes one attempt, reads what comes back, and asks what happened where that says that it did before. */
export async function makeAttempt(options: AttemptOptions): Promise<Attempted> {
  const { engine, turn, record, profile, startedAt, hide, emit } = options
  const { platform } = engine
  const { phase } = record
  const lease: Lease = phase.is === 'sending' ? phase : { leaseUntil: 0, leaseMs: 0 }
  let wire: Wire
  try {
    wire = wireOf(record, profile, bytesOf(record, turn))
  } catch (cause) {
    // The profile's own code threw.
    return { is: 'unsent', because: 'hook', cause }
  }
  // Only the app's ky knows the base of a relative address.
  const base = engine.ky ? undefined : globalThis.location?.href
  const { url } = record.request
  const absolute = /^https?:/i.test(url) || base !== undefined
  const implied = absolute ? new URL(url, base).origin : undefined
  // Only a first attempt may go where a hook of the app sends it.
  const expected = record.origin ?? (record.ambiguous > 1 || record.poll ? implied : undefined)
  const elapsedMs = () => platform.monotonic() - startedAt
  let origin: string | undefined
  const reply = (response: Response, body?: Uint8Array<ArrayBuffer>) =>
    replyOf(response, body, record.poll)

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
      options.onSent(to === (record.origin ?? implied) ? undefined : to)
    },
    onHead(response) {
      const verdict = readReply(profile, reply(response), historyOf(record))
      if (verdict.is === 'success') options.onHappened(headOf(response))
    },
  })
  hide.lease = undefined

  switch (sent.is) {
    case 'unsent': {
      const { because, cause } = sent
      return because === 'timeout'
        ? { is: 'ended', ended: { is: 'unsent' }, cause }
        : { is: 'unsent', because, cause }
    }
    case 'unanswered':
      if (origin && sent.because === 'network' && platform.online()) {
        engine.corsHint.unanswered(origin, Object.keys(wire.headers))
      }
      emit({ type: 'unanswered', because: sent.because })
      return { is: 'ended', ended: sent, cause: sent.cause }
    case 'answered':
      if (origin) engine.corsHint.answered(origin)
      return read(options, sent.response, reply(sent.response, sent.body), sent)
  }
}

async function read(
  { engine, turn, record, profile, emit }: AttemptOptions,
  response: Response,
  reply: Reply,
  { url, body }: { readonly url: string; readonly body: Uint8Array<ArrayBuffer> | undefined },
): Promise<Attempted> {
  const { status, bodyLost } = reply
  const verdict = readReply(profile, reply, historyOf(record))
  const answer = body ? { ...headOf(response), body } : headOf(response)
  emit({ type: 'answered', status, verdict: verdict.is })
  if (bodyLost) emit({ type: 'unanswered', because: 'body-lost' })
  if (verdict.is === 'duplicate' && profile.recover && !record.happened) {
    const {
      as,
      final,
      answer: found = answer,
      cause,
    } = await inquire(engine, turn, record, profile, reply)
    return { is: 'ended', ended: { is: 'recovered', as, final }, answer: found, cause }
  }
  const poll = verdict.is === 'pending' ? pollOf(reply, verdict.poll, url) : undefined
  const retry = retryOf(reply, profile.pace)
  return {
    is: 'ended',
    ended: { is: 'answered', status, bodyLost, verdict, retry, poll },
    answer,
    retryAfterMs: retryAfterMs(reply, profile.pace, engine.platform.now()),
  }
}

/** Asks what happened. `reply`: the answer that led to the question. */
export function inquire(
  engine: Engine,
  turn: Turn,
  record: OperationRecord,
  profile: ServerProfile,
  reply?: Reply,
): Promise<Learnt> {
  const { platform } = engine
  const { lastSentBy = record.firstSentAt ?? record.startedAt } = record
  return askWhatHappened(platform, {
    operation: turn.operation,
    record,
    profile,
    bytes: bytesOf(record, turn),
    reply,
    // Of an attempt that was answered it is known better.
    lastSentBy: reply ? Math.min(lastSentBy, platform.now()) : lastSentBy,
    how: callOf(engine, turn, turn.policy.attemptTimeoutMs),
  })
}

/** What every request of a turn is sent with, a token's and a question's too. */
export function callOf(
  engine: Engine,
  turn: Turn,
  timeoutMs: number,
): Pick<SendOptions, 'ky' | 'hooksMayRetry' | 'signal' | 'timeoutMs' | 'look'> {
  const { ky, hooksMayRetry } = engine
  const { signal } = turn
  const look = (to: string) => barred(engine, turn, to)
  return { ky, hooksMayRetry, signal, timeoutMs: Math.max(0, timeoutMs), look }
}

function bytesOf({ request }: OperationRecord, turn: Turn): Uint8Array<ArrayBuffer> | undefined {
  return request.body.kept ? request.body.bytes : turn.bytes()
}
