import { erased } from './lifecycle.ts'
import type { Found, OperationRecord, Stub } from './record.ts'
import { isSettled, parseRecord, RECORD_VERSION } from './record.ts'
import type { Change } from './store/store.ts'

const DAY_MS = 86_400_000
/** How long a `once` success answers identical submits. */
const ONCE_MS = 30 * DAY_MS
/** How long an unsettled record stays after its key has expired: long enough for a person to come back to it. */
const UNSETTLED_MS = 30 * DAY_MS

/** When the server forgets the key. */
export function keyExpiresAt(record: OperationRecord): number {
  return (record.firstSentAt ?? record.startedAt) + record.ttlMs
}

/** Leaves key, outcome and time of a record that goes. */
export function stubOf(record: OperationRecord, stub: Stub['stub'], at: number): Stub {
  const { key, ambiguous, attempt, sent, firstSentAt, token } = record
  return {
    version: RECORD_VERSION,
    stub,
    key,
    fingerprint: record.request.fingerprint,
    at,
    ambiguous,
    attempt,
    sent,
    firstSentAt,
    token: stub === 'forgotten' ? token : undefined,
    until: Math.max(at, keyExpiresAt(record)),
  }
}

/** What time has made of what lies in the store: answers go first, then records, and stubs last. */
export function age(found: Found, now: number, keepSettledMs: number): Found {
  const { record, stub } = found
  if (record) {
    if (isSettled(record)) {
      const { phase } = record
      const keepMs = record.once && phase.is === 'succeeded' ? ONCE_MS : keepSettledMs
      if (now < phase.at + keepMs) return found
      // Nobody was told: whoever comes back as long as the key lives is, though not of the answer.
      if (phase.is === 'succeeded' && record.toldAt === undefined && now < keyExpiresAt(record)) {
        const { body, ...answer } = phase.answer
        if (!body) return found
        return { is: 'record', record: { ...record, phase: { ...phase, answer, bodyLost: true } } }
      }
      return age({ is: 'stub', stub: stubOf(record, phase.is, phase.at) }, now, keepSettledMs)
    }
    const expiresAt = keyExpiresAt(record)
    if (now >= expiresAt + UNSETTLED_MS) return { is: 'nothing' }
    const body = erased(record.request.body)
    if (now < expiresAt || body === record.request.body) return found
    return { is: 'record', record: { ...record, request: { ...record.request, body } } }
  }
  return stub && now >= stub.until ? { is: 'nothing' } : found
}

/** The same, as a change: leaves alone what time has not touched, and whatever cannot be read. */
export function collect(old: unknown, now: number, keepSettledMs: number): Change<Found> {
  const found = parseRecord(old)
  const aged = age(found, now, keepSettledMs)
  if (aged === found) return { result: found }
  const keep = aged.record ?? aged.stub
  return keep ? { keep, result: aged } : { drop: true, result: aged }
}
