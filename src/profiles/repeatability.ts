import type { Rule, ServerProfile, Verdict } from './profile.ts'

/** What {@link repeatability} can be told about a server. */
export interface RepeatabilityOptions {
  /** Sent as `Repeatability-Client-ID`, where the server wants to know whose the ids are. @default not sent */
  readonly clientId?: string
  /** How long the server tracks an id, in milliseconds. @default 300_000 (5 minutes, the least that is allowed) */
  readonly ttlMs?: number
}

const FIVE_MINUTES_MS = 300_000

const FRONT: Verdict = { is: 'failure', said: 'front' }
const ACCEPTED = { 'repeatability-result': /^accepted$/i }
const REJECTED = { 'repeatability-result': /^rejected$/i }

const RULES: readonly Rule[] = [
  // `Repeatability-Result: accepted` is said the first time too: it marks no replay.
  { status: 409, header: ACCEPTED, then: { is: 'in-progress' } },
  // The id came with another request. Bad syntax is answered alike, and is checked here before anything is sent.
  { status: 400, header: REJECTED, then: { is: 'mismatch' } },
  // First sent too long ago, or a clock that is wrong. It does not know any more what became of earlier deliveries.
  { status: 412, then: FRONT },
  // Not for this operation, so that nothing ran.
  { status: 501, then: FRONT },
  // These were stored as any other 4xx; without the header somebody before the server may have said them.
  {
    status: [401, 403, 404, 405, 413, 415],
    header: ACCEPTED,
    then: { is: 'failure', said: 'origin' },
  },
]

/**
 * OASIS Repeatable Requests 1.0, as Azure has it: an id and the time at which it was first sent, in two headers that
 * stay the same on every attempt. 2xx and 4xx are replayed; what was answered with 5xx is executed again. The time is
 * this device's: where its clock is wrong by more than `ttlMs` every call is refused with 412.
 *
 * Sources: https://docs.oasis-open.org/odata/repeatable-requests/v1.0/repeatable-requests-v1.0.html (7 July 2020) and
 * https://learn.microsoft.com/rest/api/communication/repeatable-requests (exactly 5 minutes; the statuses).
 */
export function repeatability({
  clientId,
  ttlMs = FIVE_MINUTES_MS,
}: RepeatabilityOptions = {}): ServerProfile {
  const client = clientId === undefined ? {} : { 'repeatability-client-id': clientId }
  return {
    id: 'repeatability',
    guarantee: 'replay',
    key: {
      place: { header: 'repeatability-request-id' },
      mint: uuid,
      minLength: 36,
      maxLength: 36,
      pattern: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
      // `toUTCString` writes an IMF-fixdate: "Sun, 06 Nov 1994 08:49:37 GMT".
      companions: ({ firstSentAt }) => ({
        'repeatability-first-sent': new Date(firstSentAt).toUTCString(),
        ...client,
      }),
    },
    ttlMs,
    failureKey: 'rotate',
    rules: RULES,
  }
}

/** A random UUID (RFC 9562, version 4). `crypto.randomUUID` is missing on plain http. */
function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, '$1-$2-4$3-a$4-$5')
}
