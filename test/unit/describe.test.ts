import { expect, describe as group, it } from 'vitest'
import type { Sentences } from '../../src/describe.ts'
import { describe } from '../../src/describe.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { SendonceError } from '../../src/errors.ts'
import type { PauseReason, Snapshot, UnknownReason, WaitReason } from '../../src/lifecycle.ts'

const known = { operation: 'order', key: 'k', attempts: 2, startedAt: 0, durable: true }
const response = new Response(null, { status: 204 })
const unknown = (reason: UnknownReason, resumable = true): Snapshot<unknown> => ({
  ...known,
  state: 'unknown',
  reason,
  resumable,
  recoverable: false,
})

// Records, so that the compiler asks for a reason that is added.
const WAITS: Record<WaitReason, true> = {
  backoff: true,
  offline: true,
  'in-progress': true,
  'rate-limited': true,
  'other-tab': true,
}
const PAUSES: Record<PauseReason, true> = {
  unauthorized: true,
  'rate-limited': true,
  unavailable: true,
  token: true,
  scope: true,
}
/** Whether sending again is known to be safe. */
const UNKNOWNS: Record<UnknownReason, boolean> = {
  interrupted: true,
  attempts: true,
  deadline: true,
  aborted: true,
  'in-progress': true,
  'refused-later': true,
  'token-spent': false,
  'key-expired': false,
  'key-mismatch': false,
  'not-retryable': false,
  'profile-missing': false,
  unreadable: false,
}
const names = <K extends string>(record: Record<K, unknown>) => Object.keys(record) as K[]

const waits = names(WAITS).map(
  (reason): Snapshot<unknown> => ({
    ...known,
    state: 'waiting',
    here: true,
    reason,
    nextAttemptAt: 0,
  }),
)
const pauses = names(PAUSES).map(
  (reason): Snapshot<unknown> => ({ ...known, state: 'paused', reason }),
)
const unknowns = names(UNKNOWNS).map(reason => unknown(reason))
const rest: Snapshot<unknown>[] = [
  { state: 'idle', operation: 'order', read: false },
  { ...known, state: 'preparing' },
  { ...known, state: 'sending', here: false },
  { ...known, state: 'succeeded', data: 1, response, from: 'reply', news: false, bodyLost: false },
  { ...known, state: 'refused', response, data: 1 },
]
const all = [...rest, ...waits, ...pauses, ...unknowns]
const label = (snapshot: Snapshot<unknown>) =>
  'reason' in snapshot ? `${snapshot.state}:${snapshot.reason}` : snapshot.state

group('the sentence', () => {
  it.each(all.map(snapshot => [label(snapshot), snapshot] as const))(
    'for %s is for people: no code, no status, nothing called failed',
    (_label, snapshot) => {
      const sentence = describe(snapshot)
      expect(sentence).toMatch(/^[A-Z].*[.…]$/)
      expect(sentence).not.toMatch(/fail|error|\d|undefined|-/i)
    },
  )

  it('differs for every reason to wait and to pause', () => {
    for (const some of [waits, pauses]) {
      expect(new Set(some.map(snapshot => describe(snapshot))).size).toBe(some.length)
    }
  })

  it.each(names(PAUSES))('for paused:%s says that nothing has happened', reason => {
    expect(describe({ ...known, state: 'paused', reason })).toContain('Nothing has happened yet')
  })

  it.each(Object.entries(UNKNOWNS) as [UnknownReason, boolean][])(
    'for unknown:%s calls sending again safe: %s',
    (reason, safe) => {
      const sentence = describe(unknown(reason))
      expect(sentence.includes('Sending it again is safe.')).toBe(safe)
      expect(sentence.includes('Please check before you do it again.')).toBe(!safe)
    },
  )

  it('does not call sending again safe where no turn can be run', () => {
    for (const reason of names(UNKNOWNS)) {
      expect(describe(unknown(reason, false))).not.toContain('safe')
    }
    expect(describe(unknown('attempts', false))).toBe(
      "We don't know yet whether this went through.",
    )
  })
})

group('what another tab does', () => {
  it('is one sentence, whatever it is', () => {
    const sentence = describe({ ...known, state: 'sending', here: false })
    expect(sentence).toBe('Another tab is taking care of this.')
    for (const reason of names(WAITS)) {
      const snapshot = {
        ...known,
        state: 'waiting',
        here: false,
        reason,
        nextAttemptAt: 0,
      } as const
      expect(describe(snapshot)).toBe(sentence)
    }
  })

  it('is said in the words of the app, by its name or by the state', () => {
    const sending = { ...known, state: 'sending', here: false } as const
    expect(describe(sending, { 'waiting:other-tab': 'Anderswo.', sending: 'Läuft.' })).toBe(
      'Anderswo.',
    )
    expect(describe(sending, { sending: 'Läuft.' })).toBe('Läuft.')
  })
})

/** Those that mean that nothing was sent by the call. */
const CODES: Record<
  Exclude<ErrorCode, 'refused' | 'paused' | 'unknown-outcome' | 'invalid-argument'>,
  true
> = {
  'payload-changed': true,
  body: true,
  storage: true,
  'not-sent': true,
  aborted: true,
  'in-flight': true,
  closed: true,
}

group('an error', () => {
  it.each(names(CODES))('%s has a sentence for people', code => {
    const sentence = describe(new SendonceError(code, 'For "developers": checkout/42.'))
    expect(sentence).toMatch(/^[A-Z].*\.$/)
    expect(sentence).not.toMatch(/fail|error|\d|undefined|-|developers/i)
  })

  it('that is a mistake of the app speaks for itself', () => {
    const mistake = new SendonceError('invalid-argument', 'fromForm is undefined.')
    expect(describe(mistake)).toBe('fromForm is undefined.')
    expect(describe(mistake, { error: 'Nanu.' })).toBe('Nanu.')
  })

  it('that a library wrapped, so that its outcome is lost, is not called failed either', () => {
    const wrapped = (code: ErrorCode) => describe(new SendonceError(code, 'Wrapped.'))
    expect(wrapped('unknown-outcome')).toBe("We don't know yet whether this went through.")
    expect(wrapped('paused')).toBe('On hold. Nothing has happened yet.')
    expect(wrapped('refused')).toBe('This was not accepted.')
  })

  it('with an outcome says what that says', () => {
    const error = new SendonceError('unknown-outcome', 'Nobody knows.')
    const thrown = Object.assign(error, { outcome: unknown('attempts') })
    expect(describe(thrown)).toBe(describe(unknown('attempts')))
    expect(describe(thrown, { unknown: 'Unklar.' })).toBe('Unklar.')
  })

  it('is said in the words of the app, by its code, then as an error', () => {
    const own = { error: 'Nichts gesendet.', 'error:storage': 'Kein Platz.' }
    expect(describe(new SendonceError('storage', ''), own)).toBe('Kein Platz.')
    expect(describe(new SendonceError('body', ''), own)).toBe('Nichts gesendet.')
  })
})

group('words of the app', () => {
  const own: Partial<Sentences> = {
    unknown: 'Unklar.',
    'unknown:aborted': 'Gestoppt.',
    sending: '',
  }

  it('win by state and reason, then by state', () => {
    expect(describe(unknown('aborted'), own)).toBe('Gestoppt.')
    expect(describe(unknown('attempts'), own)).toBe('Unklar.')
    expect(describe(unknown('attempts', false), own)).toBe('Unklar.')
  })

  it('may be empty', () => {
    expect(describe({ ...known, state: 'sending', here: true }, own)).toBe('')
  })

  it('leave the others as they are', () => {
    expect(describe({ ...known, state: 'preparing' }, own)).toBe(
      describe({ ...known, state: 'preparing' }),
    )
  })
})

it('has no name for a reason that there is none of', () => {
  const words: Partial<Sentences> = { 'unknown:interrupted': 'Cut off.' }
  // @ts-expect-error A name that is misspelt would never be found.
  const misspelt: Partial<Sentences> = { 'unknown:interupted': 'Cut off.' }
  expect(describe(unknown('interrupted'), words)).toBe('Cut off.')
  expect(describe(unknown('interrupted'), misspelt)).not.toBe('Cut off.')
})
