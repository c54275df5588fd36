import { inTime } from './in-time.ts'
import type { Ask, RecoverContext, Recovered, Reply, ServerProfile } from './profiles/profile.ts'
import type { Answer, OperationRecord } from './record.ts'
import { send } from './send.ts'
import type { Engine, Turn } from './turn.ts'
import { bytesOf, callOf } from './turn.ts'
import { wireOf } from './wire.ts'

const LATE = 'Nothing was learnt in time.'

/** What was learnt. */
export interface Learnt {
  readonly as: Recovered['is']
  /** Of a success: the answer that it would have had. */
  readonly answer?: Answer | undefined
  /** What is not applied by now never will be (rule 8). */
  readonly final: boolean
  /** Why nothing was learnt, where `recover` rejected. */
  readonly cause?: unknown
}

/**
 * Asks the server what became of an operation, as its profile knows to. Never rejects.
 *
 * @param reply The answer that led to the question.
 */
export async function askWhatHappened(
  engine: Engine,
  turn: Turn,
  record: OperationRecord,
  profile: ServerProfile,
  reply?: Reply,
): Promise<Learnt> {
  const { platform } = engine
  const call = callOf(engine, turn, turn.policy.attemptTimeoutMs)
  const { recoverIsFinal = false, settleMs = Number.POSITIVE_INFINITY } = profile
  const { lastSentBy = record.firstSentAt ?? record.startedAt } = record
  const now = platform.now()
  // Nothing left after this; of an attempt that was answered it is known better.
  const sentBy = reply ? Math.min(lastSentBy, now) : lastSentBy
  const final = recoverIsFinal || now >= sentBy + settleMs
  const ask: Ask = async (url, { method = 'GET', headers = {}, json } = {}) => {
    const bytes = json === undefined ? undefined : encode(json)
    const type = bytes && { 'content-type': 'application/json' }
    let origin: string | undefined
    const sent = await send(platform, {
      ...call,
      look(to) {
        origin = to
        return call.look(to)
      },
      url,
      method,
      headers: { ...type, ...headers },
      bytes,
      cache: 'no-store',
    })
    if (sent.is !== 'answered') throw sent.cause
    const { status, headers: answered } = sent.response
    // An opaque answer says nothing, one that was cut off neither. The address is not for the log: it may hold the key.
    if (status === 0 || !sent.body) throw new TypeError('The answer cannot be read.')
    if (new URL(sent.url).origin !== origin) throw new TypeError('The answer is from elsewhere.')
    return new Response(sent.body.length > 0 ? sent.body : null, { status, headers: answered })
  }
  try {
    const context = contextOf(turn, record, profile, reply)
    const asking = profile.recover?.(context, ask)
    const recovered = await inTime(asking, call.timeoutMs, LATE, platform, call.signal)
    if (recovered?.is === 'succeeded') {
      return { as: 'succeeded', answer: answerOf(recovered.data), final }
    }
    // Whatever else it may have said says nothing.
    const said = recovered?.is === 'not-applied' || recovered?.is === 'in-progress'
    return { as: said ? recovered.is : 'unknown', final }
  } catch (cause) {
    return { as: 'unknown', final, cause }
  }
}

function contextOf(
  turn: Turn,
  record: OperationRecord,
  profile: ServerProfile,
  reply: Reply | undefined,
): RecoverContext {
  // As it was sent, whatever is asked in place of it now.
  const wire = wireOf({ ...record, poll: undefined }, profile, bytesOf(record, turn))
  let json: unknown
  try {
    if (wire.bytes) json = JSON.parse(new TextDecoder().decode(wire.bytes))
  } catch {
    // A form, or a text.
  }
  return {
    operation: turn.operation,
    key: record.place && record.key,
    token: record.token?.value,
    url: wire.url,
    json,
    reply,
  }
}

const encode = (json: unknown) => new TextEncoder().encode(JSON.stringify(json))

/** As if the server had answered with it. */
function answerOf(data: unknown): Answer {
  return data === undefined
    ? { status: 204, headers: [] }
    : { status: 200, headers: [['content-type', 'application/json']], body: encode(data) }
}
