import type { Platform } from './platform.ts'
import type { Ask, RecoverContext, Recovered, Reply, ServerProfile } from './profiles/profile.ts'
import type { Answer, OperationRecord } from './record.ts'
import type { SendOptions } from './send.ts'
import { send } from './send.ts'
import { wireOf } from './wire.ts'

/** What was learnt. */
export interface Learnt {
  readonly as: Recovered['is']
  /** Of a success: the answer that it would have had. */
  readonly answer?: Answer
  /** What is not applied by now never will be (rule 8). */
  readonly final: boolean
  /** Why nothing was learnt, where `recover` rejected. */
  readonly cause?: unknown
}

/** What the profile's question is asked with. */
export interface Question {
  readonly operation: string
  readonly record: OperationRecord
  readonly profile: ServerProfile
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  readonly reply: Reply | undefined
  /** Nothing of this key left after this; wall clock. */
  readonly lastSentBy: number
  readonly how: Pick<SendOptions, 'ky' | 'hooksMayRetry' | 'signal' | 'look' | 'timeoutMs'>
}

/** Asks the server what became of an operation, as its profile knows to. Never rejects. */
export async function askWhatHappened(platform: Platform, question: Question): Promise<Learnt> {
  const { profile, how, lastSentBy } = question
  const { recoverIsFinal = false, settleMs = Number.POSITIVE_INFINITY } = profile
  const final = recoverIsFinal || platform.now() >= lastSentBy + settleMs
  const ask: Ask = async (url, { method = 'GET', headers = {}, json } = {}) => {
    const bytes = json === undefined ? undefined : encode(json)
    const type = bytes && { 'content-type': 'application/json' }
    let origin: string | undefined
    const sent = await send(platform, {
      ...how,
      look(to) {
        origin = to
        return how.look(to)
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
  let stop: (() => void) | undefined
  const ended = new Promise<never>((_, reject) => {
    const end = () => reject(new DOMException('Nothing was learnt in time.', 'AbortError'))
    const stopTimer = platform.timer(how.timeoutMs, end)
    how.signal.addEventListener('abort', end)
    stop = () => {
      stopTimer()
      how.signal.removeEventListener('abort', end)
    }
  })
  try {
    const recovered = await Promise.race([profile.recover?.(contextOf(question), ask), ended])
    switch (recovered?.is) {
      case 'succeeded':
        return { as: 'succeeded', answer: answerOf(recovered.data), final }
      case 'not-applied':
      case 'in-progress':
        return { as: recovered.is, final }
      default:
        return { as: 'unknown', final }
    }
  } catch (cause) {
    return { as: 'unknown', final, cause }
  } finally {
    stop?.()
  }
}

function contextOf({ operation, record, profile, bytes, reply }: Question): RecoverContext {
  const { poll, ...posted } = record
  const wire = wireOf(posted, profile, bytes)
  let json: unknown
  try {
    if (wire.bytes) json = JSON.parse(new TextDecoder().decode(wire.bytes))
  } catch {
    // A form, or a text.
  }
  return {
    operation,
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
