import type { Snapshot } from './lifecycle.ts'

/** A sentence for each state, and for a reason of it where that says more: `unknown`, `unknown:key-expired`. */
export type Sentences = Record<
  Snapshot<unknown>['state'] | `${'waiting' | 'paused' | 'unknown'}:${string}`,
  string
>

const UNKNOWN = "We don't know yet whether this went through."
const CHECK = 'Please check before you send it again.'
/** Said only where another turn can be run and meets the same key. */
const SAFE = 'Sending it again is safe.'

const SENTENCES: Sentences = {
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
  'paused:scope': 'Nothing has happened yet. Please sign in to the account that began this.',
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
}

/**
 * A sentence for the person in front of the form, in English. An operation that is unknown is never called failed, and
 * sending again is called safe only where it is.
 *
 * @param sentences Your own words, by state or by state and reason. A sentence for a state stands for all its reasons.
 */
export function describe(snapshot: Snapshot<unknown>, sentences: Partial<Sentences> = {}): string {
  const { state } = snapshot
  if (!('reason' in snapshot)) return sentences[state] ?? SENTENCES[state]
  const exact = `${snapshot.state}:${snapshot.reason}` as const
  const own = sentences[exact] ?? sentences[state]
  if (own !== undefined) return own
  const sentence = SENTENCES[exact] ?? SENTENCES[state]
  return snapshot.state === 'unknown' && !snapshot.resumable
    ? sentence.replace(` ${SAFE}`, '')
    : sentence
}
