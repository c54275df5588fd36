import type { ErrorCode, SendonceError } from './errors.ts'
import type { Outcome, PauseReason, Snapshot, UnknownReason, WaitReason } from './lifecycle.ts'

/**
 * A sentence for each state, and for a reason of it where that says more: `unknown`, `unknown:key-expired`. `error` and
 * `error:storage` are for calls that sent nothing.
 */
export type Sentences = Record<
  | Snapshot<unknown>['state']
  | `waiting:${WaitReason}`
  | `paused:${PauseReason}`
  | `unknown:${UnknownReason}`
  | 'error'
  | `error:${ErrorCode}`,
  string
>

const UNKNOWN = "We don't know yet whether this went through."
const CHECK = 'Please check before you do it again.'
/** Said only where another turn can be run and meets the same key. */
const SAFE = 'Sending it again is safe.'

const SENTENCES: Partial<Sentences> = {
  idle: 'Ready to send.',
  preparing: 'Getting ready to send.',
  sending: 'Sending…',
  waiting: 'Waiting to go on.',
  'waiting:backoff': 'No clear answer yet. Trying again in a moment.',
  'waiting:offline': 'You seem to be offline. We go on as soon as the connection is back.',
  'waiting:in-progress': 'The server is still working on this.',
  'waiting:rate-limited': 'The server is busy. Trying again in a moment.',
  'waiting:other-tab': 'Another tab is taking care of this.',
  paused: 'On hold. Nothing has happened yet.',
  'paused:unauthorized': 'Nothing has happened yet. Please sign in, then send it again.',
  'paused:rate-limited': 'Nothing has happened yet: the server is busy. Please try again later.',
  'paused:unavailable':
    'Nothing has happened yet: the server is not available. Please try again later.',
  'paused:token': 'Nothing has happened yet: the server did not let us begin. Please try again.',
  'paused:scope': 'Nothing has happened yet. Please sign in to the account that this is for.',
  unknown: UNKNOWN,
  'unknown:interrupted': `This was interrupted. ${UNKNOWN} ${SAFE}`,
  'unknown:attempts': `${UNKNOWN} ${SAFE}`,
  'unknown:deadline': `${UNKNOWN} ${SAFE}`,
  'unknown:aborted': `This was stopped under way. ${UNKNOWN} ${SAFE}`,
  'unknown:in-progress': `The server has not finished with this. ${UNKNOWN} ${SAFE}`,
  'unknown:refused-later': `An earlier try may have gone through, a later one was turned away. ${UNKNOWN} ${SAFE}`,
  'unknown:token-spent': `This has probably gone through, but that was not confirmed. ${CHECK}`,
  'unknown:key-expired': `${UNKNOWN} It was too long ago to ask by sending it again. ${CHECK}`,
  'unknown:key-mismatch': `${UNKNOWN} The server took this for another request. ${CHECK}`,
  'unknown:not-retryable': `${UNKNOWN} Sending it again might do it twice. ${CHECK}`,
  'unknown:profile-missing': `${UNKNOWN} This version of the page cannot ask. ${CHECK}`,
  'unknown:unreadable': `${UNKNOWN} The note that this browser kept of it cannot be read. ${CHECK}`,
  succeeded: 'Done.',
  refused: 'This was not accepted.',
  error: 'This could not be sent just now. Please try again.',
  // Of an error that lost its outcome: libraries that wrap errors copy name and code alone (axios).
  'error:unknown-outcome': UNKNOWN,
  'error:paused': 'On hold. Nothing has happened yet.',
  'error:refused': 'This was not accepted.',
  'error:payload-changed':
    'This was sent before with other details, and we have to know first how that ended.',
  'error:body': 'This could not be read. If you chose a file, please choose it again.',
  'error:storage':
    'This browser could not make a note of it, so it was not sent. Please try again.',
  'error:in-flight': 'This is on its way just now and cannot be taken back.',
  'error:closed': 'This page is out of date. Please reload it.',
}

/**
 * A sentence for the person in front of the form, in English. An operation that is unknown is never called failed, and
 * sending again is called safe only where it is.
 *
 * @param known A snapshot, an outcome, or the error of a call. A mistake of the app (`invalid-argument`) is for its
 *   developer: it speaks for itself.
 * @param sentences Your own words, by state or by state and reason. A sentence for a state stands for all its reasons.
 */
export function describe(
  known: Snapshot<unknown> | SendonceError,
  sentences: Partial<Sentences> = {},
): string {
  // What `submitOrThrow` throws has the outcome.
  const { outcome } = known as { readonly outcome?: Outcome<unknown> }
  if (outcome) return describe(outcome, sentences)
  const [exact, state] = namesOf(known)
  const own = sentences[exact] ?? sentences[state]
  if (own !== undefined) return own
  if (exact === 'error:invalid-argument') return (known as SendonceError).message
  const sentence = SENTENCES[exact] ?? SENTENCES[state] ?? ''
  return 'resumable' in known && !known.resumable ? sentence.replace(` ${SAFE}`, '') : sentence
}

/** Under which names its sentence is found: by state and reason, then by state. */
function namesOf(
  known: Snapshot<unknown> | SendonceError,
): readonly [keyof Sentences, keyof Sentences] {
  if ('code' in known) return [`error:${known.code}`, 'error']
  const { state } = known
  // Whatever the other tab does: one state of affairs, said once.
  if ('here' in known && !known.here) return ['waiting:other-tab', state]
  return [('reason' in known ? `${state}:${known.reason}` : state) as keyof Sentences, state]
}
