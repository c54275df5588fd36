import { describe, expect, it } from 'vitest'
import type { Answered, Decision, Moment, NextPhase, RetryPolicy } from '../../src/decide.ts'
import { DEFAULT_POLICY, decide, historyOf } from '../../src/decide.ts'
import type { Recovered, ServerProfile, Verdict } from '../../src/profiles/profile.ts'
import type { OperationRecord } from '../../src/record.ts'
import { NOW, recordOf } from './records.ts'

const GUARANTEES = ['replay', 'reject', 'window', 'none'] as const
type Guarantee = (typeof GUARANTEES)[number]

const profileOf = (guarantee: Guarantee, more: Partial<ServerProfile> = {}): ServerProfile => ({
  id: 'profile',
  guarantee,
  key: { place: { header: 'idempotency-key' } },
  ttlMs: 86_400_000,
  failureKey: 'rotate',
  rules: [],
  ...more,
})

const moment = (changes: Partial<Moment> = {}): Moment => ({
  now: NOW,
  spent: 1,
  round: 1,
  elapsedMs: 0,
  online: true,
  random: 0.5,
  affordable: true,
  retryAfterMs: undefined,
  ...changes,
})

const answered = (verdict: Verdict, status = 400, bodyLost = false): Answered => ({
  is: 'answered',
  status,
  bodyLost,
  verdict,
})

const first = recordOf()
const later = recordOf({ attempt: 2, ambiguous: 2 })

/** A decision and its phase in one; what it does not say is no. */
type Flat = NextPhase & Omit<Decision, 'phase'>
const flat = ({ phase, ...how }: Decision): Flat => ({
  ...phase,
  cleared: false,
  conflict: false,
  costs: false,
  ...how,
})

/** A decision in short: `waiting backoff`, `unknown attempts`. */
function short(phase: NextPhase): string {
  const reason = 'reason' in phase ? ` ${phase.reason}` : ''
  const lost = phase.is === 'succeeded' && phase.bodyLost ? ' bodyLost' : ''
  return `${phase.is}${reason}${lost}`
}

function run(
  record: OperationRecord,
  ended: Answered,
  guarantee: Guarantee = 'replay',
  policy: Partial<RetryPolicy> = {},
  when: Partial<Moment> = {},
): Flat {
  const profile = profileOf(guarantee)
  return flat(decide(record, ended, profile, { ...DEFAULT_POLICY, ...policy }, moment(when)))
}

const SUCCESS: Answered = answered({ is: 'success' }, 201)
const LOST: Answered = answered({ is: 'success' }, 201, true)
const ORIGIN: Answered = answered({ is: 'failure', said: 'origin' }, 422)
const front = (status: number) => answered({ is: 'failure', said: 'front' }, status)
const LIMITED = answered({ is: 'not-executed', because: 'rate-limited' }, 429)
const RULED = answered({ is: 'not-executed', because: 'unavailable' }, 503)
const SIGN_IN = answered({ is: 'not-executed', because: 'unauthorized' }, 401)
const IN_PROGRESS = answered({ is: 'in-progress' }, 409)
const CONFLICT = answered({ is: 'conflict' }, 409)
const DUPLICATE = answered({ is: 'duplicate' }, 400)
const MISMATCH = answered({ is: 'mismatch' }, 422)
const UNKNOWN = answered({ is: 'unknown' }, 503)
const NETWORK: Answered = { is: 'unanswered', because: 'network' }
const TIMEOUT: Answered = { is: 'unanswered', because: 'timeout' }
const ABORTED: Answered = { is: 'unanswered', because: 'aborted' }

type Row = readonly [
  name: string,
  ended: Answered,
  /** No earlier attempt is ambiguous: replay, reject, window, none. */
  clean: readonly [string, string, string, string],
  /** One is. */
  ambiguous: readonly [string, string, string, string],
]

const all = (what: string): readonly [string, string, string, string] => [what, what, what, what]
const byGuarantee = [
  'waiting backoff',
  'waiting backoff',
  'unknown not-retryable',
  'unknown not-retryable',
] as const

const TABLE: readonly Row[] = [
  ['success', SUCCESS, all('succeeded'), all('succeeded')],
  [
    'success whose body was cut off',
    LOST,
    ['waiting backoff', 'succeeded bodyLost', 'succeeded bodyLost', 'succeeded bodyLost'],
    ['waiting backoff', 'succeeded bodyLost', 'succeeded bodyLost', 'succeeded bodyLost'],
  ],
  [
    'failure said by the origin',
    ORIGIN,
    all('refused'),
    ['refused', 'unknown refused-later', 'unknown refused-later', 'unknown refused-later'],
  ],
  ...[401, 403, 407, 419].map(
    (status): Row => [
      `failure said by the front, ${status}`,
      front(status),
      all('paused unauthorized'),
      all('unknown refused-later'),
    ],
  ),
  ...[404, 405, 413, 414, 415, 431, 400].map(
    (status): Row => [
      `failure said by the front, ${status}`,
      front(status),
      all('refused'),
      all('unknown refused-later'),
    ],
  ),
  ['not executed, 429', LIMITED, all('waiting rate-limited'), all('waiting rate-limited')],
  ['not executed by a rule', RULED, all('waiting rate-limited'), all('waiting rate-limited')],
  ['not executed, signed out', SIGN_IN, all('paused unauthorized'), all('unknown refused-later')],
  [
    'in progress',
    IN_PROGRESS,
    [
      'waiting in-progress',
      'waiting in-progress',
      'unknown not-retryable',
      'unknown not-retryable',
    ],
    [
      'waiting in-progress',
      'waiting in-progress',
      'unknown not-retryable',
      'unknown not-retryable',
    ],
  ],
  [
    'a conflict without evidence',
    CONFLICT,
    ['waiting in-progress', 'waiting in-progress', 'refused', 'refused'],
    [
      'waiting in-progress',
      'waiting in-progress',
      'unknown not-retryable',
      'unknown not-retryable',
    ],
  ],
  ['duplicate', DUPLICATE, all('unknown token-spent'), all('unknown token-spent')],
  ['mismatch', MISMATCH, all('unknown key-mismatch'), all('unknown key-mismatch')],
  ['unknown', UNKNOWN, byGuarantee, byGuarantee],
  ['no answer', NETWORK, byGuarantee, byGuarantee],
  ['a timeout', TIMEOUT, byGuarantee, byGuarantee],
  ['an abort', ABORTED, all('unknown aborted'), all('unknown aborted')],
]

describe('the verdict table', () => {
  const cells = TABLE.flatMap(([name, ended, clean, ambiguous]) =>
    GUARANTEES.flatMap((guarantee, column) => [
      { name, ended, guarantee, record: first, history: 'first', expected: clean[column] },
      { name, ended, guarantee, record: later, history: 'ambiguous', expected: ambiguous[column] },
    ]),
  )

  it.each(cells)(
    '$name, $guarantee, $history: $expected',
    ({ ended, guarantee, record, expected }) => {
      expect(short(run(record, ended, guarantee))).toBe(expected)
    },
  )

  it('has a row for every verdict', () => {
    const verdicts = new Set(
      TABLE.flatMap(([, ended]) => (ended.is === 'answered' ? [ended.verdict.is] : [])),
    )
    expect([...verdicts].sort()).toEqual([
      'conflict',
      'duplicate',
      'failure',
      'in-progress',
      'mismatch',
      'not-executed',
      'success',
      'unknown',
    ])
  })
})

describe('what a decision says of its attempt', () => {
  it.each<readonly [string, Answered, OperationRecord, boolean]>([
    ['429', LIMITED, first, true],
    ['a rule’s not-executed', RULED, later, true],
    ['a refusal of the front after an ambiguous attempt', front(404), later, true],
    ['no answer', NETWORK, first, false],
    ['503', UNKNOWN, first, false],
    ['in progress', IN_PROGRESS, first, false],
    ['a conflict', CONFLICT, first, false],
    ['an abort', ABORTED, later, false],
    ['a duplicate', DUPLICATE, later, false],
    ['a mismatch', MISMATCH, first, false],
    ['the end of its clock before it left', { is: 'unsent', because: 'timeout' }, first, true],
  ])('%s: cleared as it should be', (_, ended, record, cleared) => {
    expect(run(record, ended)).toMatchObject({ cleared })
  })

  it.each<readonly [string, Answered, boolean]>([
    ['no answer', NETWORK, true],
    ['503', UNKNOWN, true],
    ['429', LIMITED, false],
    ['in progress', IN_PROGRESS, false],
    ['a conflict', CONFLICT, false],
  ])('%s: costs as it should', (_, ended, costs) => {
    expect(run(first, ended)).toMatchObject({ is: 'waiting', costs })
  })
})

describe('an attempt for which no token was to be had', () => {
  it.each<readonly [title: string, offline: boolean, record: OperationRecord, short: string]>([
    ['without a network waits for one', true, first, 'waiting offline'],
    ['pauses what was never sent', false, recordOf({ ambiguous: 0 }), 'paused token'],
    ['leaves unknown what may have arrived', false, later, 'unknown interrupted'],
  ])('%s', (_, offline, record, expected) => {
    expect(short(run(record, { is: 'no-token', offline }))).toBe(expected)
  })
})

describe('what was learnt by asking', () => {
  const recovered = (as: Recovered['is'], final = false): Answered => ({
    is: 'recovered',
    as,
    final,
  })

  it.each<readonly [title: string, ended: Answered, guarantee: Guarantee, short: string]>([
    ['that it happened', recovered('succeeded'), 'none', 'succeeded'],
    ['that it may still be applied', recovered('not-applied'), 'reject', 'unknown token-spent'],
    ['that it is in progress', recovered('in-progress'), 'reject', 'waiting in-progress'],
    ['that, where nothing is sent twice', recovered('in-progress'), 'none', 'unknown token-spent'],
    ['nothing', recovered('unknown', true), 'reject', 'unknown token-spent'],
  ])('%s', (_, ended, guarantee, expected) => {
    expect(short(run(later, ended, guarantee))).toBe(expected)
  })

  it('that it was never applied sends again with a new token, and pauses once the turn is over', () => {
    const ended = recovered('not-applied', true)
    const never = { never: true, renew: true }
    expect(run(later, ended)).toMatchObject({ is: 'waiting', reason: 'backoff', ...never })
    const over = run(later, ended, 'replay', {}, { spent: 8 })
    expect(over).toMatchObject({ is: 'paused', reason: 'unavailable', ...never })
  })
})

describe('the end of a turn', () => {
  it('comes after the last attempt: unknown', () => {
    expect(run(first, NETWORK, 'replay', {}, { spent: 8 })).toMatchObject({
      is: 'unknown',
      reason: 'attempts',
      cleared: false,
    })
    expect(run(first, NETWORK, 'replay', {}, { spent: 7 })).toMatchObject({ is: 'waiting' })
  })

  it('never comes by attempts that cost nothing', () => {
    for (const ended of [LIMITED, IN_PROGRESS, CONFLICT]) {
      expect(run(first, ended, 'replay', {}, { spent: 99 })).toMatchObject({ is: 'waiting' })
    }
  })

  it('comes where the next wait would pass the deadline', () => {
    const wait = { random: 0.5, round: 1 }
    expect(run(first, NETWORK, 'replay', {}, { ...wait, elapsedMs: 119_750 })).toMatchObject({
      is: 'waiting',
      waitMs: 250,
    })
    expect(run(first, NETWORK, 'replay', {}, { ...wait, elapsedMs: 119_751 })).toMatchObject({
      is: 'unknown',
      reason: 'deadline',
      cleared: false,
      waitMs: undefined,
    })
  })

  it('leaves to a later turn what the server needs, and no backoff', () => {
    const parked = (ended: Answered, minDelayMs = 0, retryAfterMs?: number) => {
      const profile = profileOf('replay', minDelayMs ? { pace: { minDelayMs } } : {})
      const when = moment({ round: 4, elapsedMs: 119_000, retryAfterMs })
      return decide(later, ended, profile, DEFAULT_POLICY, when).phase
    }
    const limited = (waitMs: number) =>
      answered({ is: 'not-executed', because: 'rate-limited', waitMs }, 429)

    for (const ended of [NETWORK, LIMITED, IN_PROGRESS, limited(Number.NaN)]) {
      const deadline = { is: 'unknown', reason: 'deadline' }
      expect(parked(ended)).toEqual({ ...deadline, waitMs: undefined })
      expect(parked(ended, 2_000)).toEqual({ ...deadline, waitMs: 2_000 })
      expect(parked(ended, 2_000, 3_000)).toEqual({ ...deadline, waitMs: 3_000 })
    }
    // What is stored has to be finite.
    expect(parked(NETWORK, Number.POSITIVE_INFINITY)).toMatchObject({
      waitMs: Number.MAX_SAFE_INTEGER,
    })
    expect(parked(limited(5_000))).toMatchObject({ waitMs: 5_000 })
    expect(parked(limited(5_000), 6_000)).toMatchObject({ waitMs: 6_000 })
    expect(parked(limited(5_000), 2_000, 7_000)).toMatchObject({ waitMs: 7_000 })
  })

  it('comes where the budget of the client is spent', () => {
    expect(run(first, NETWORK, 'replay', {}, { affordable: false })).toMatchObject({
      is: 'unknown',
      reason: 'attempts',
    })
    expect(run(first, LIMITED, 'replay', {}, { affordable: false })).toMatchObject({
      is: 'waiting',
    })
  })

  it('of what was never executed is a pause, with what was asked for', () => {
    const late = { elapsedMs: 119_000, retryAfterMs: 60_000 }
    expect(run(first, LIMITED, 'replay', {}, late)).toMatchObject({
      is: 'paused',
      reason: 'rate-limited',
      waitMs: 60_000,
    })
    expect(run(first, RULED, 'replay', {}, late)).toMatchObject({
      is: 'paused',
      reason: 'unavailable',
    })
    expect(run(later, LIMITED, 'replay', {}, late)).toMatchObject({
      is: 'unknown',
      reason: 'deadline',
      cleared: true,
      waitMs: 60_000,
    })
  })

  it('of what is known to have happened is a success without its body', () => {
    const happened = recordOf({ happened: { status: 201, headers: [] } })
    expect(short(run(happened, LOST, 'replay', {}, { spent: 8 }))).toBe('succeeded bodyLost')
    for (const ended of [NETWORK, UNKNOWN, ORIGIN, front(401), DUPLICATE, MISMATCH, CONFLICT]) {
      expect(short(run(happened, ended, 'replay', {}, { spent: 8 }))).toBe('succeeded bodyLost')
      expect(short(run(happened, ended))).toBe('waiting backoff')
    }
    expect(short(run(happened, ABORTED))).toBe('succeeded bodyLost')
    expect(short(run(happened, SUCCESS))).toBe('succeeded')
  })
})

describe('how long a wait is', () => {
  const waitMs = (
    when: Partial<Moment>,
    policy: Partial<RetryPolicy> = {},
    ended: Answered = NETWORK,
  ) => {
    const decision = run(first, ended, 'replay', { deadlineMs: 2 ** 31 - 1, ...policy }, when)
    return decision.is === 'waiting' ? decision.waitMs : undefined
  }

  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [7, 30_000],
    [2_000, 30_000],
  ])('round %i: up to %i ms', (round, most) => {
    expect(waitMs({ round, random: 0 })).toBe(0)
    expect(waitMs({ round, random: 0.5 })).toBe(most / 2)
    expect(waitMs({ round, random: 1 - Number.EPSILON })).toBe(most)
  })

  it('is what the server asks for, neither cut short nor made longer', () => {
    for (const asked of [0, 1, 1_234, 100_000_000]) {
      expect(waitMs({ retryAfterMs: asked })).toBe(asked)
      expect(waitMs({ retryAfterMs: asked }, {}, LIMITED)).toBe(asked)
    }
  })

  it('is no longer than work in progress is waited for, where the answer’s own words ask for more', () => {
    const verdict = answered({ is: 'in-progress', waitMs: 90_000 }, 409)
    expect(run(first, verdict)).toMatchObject({ is: 'waiting', waitMs: 60_000 })
  })

  it('may end early only where nobody named the time', () => {
    expect(run(first, NETWORK)).toMatchObject({ hurry: true })
    // Of a page that is online again a person expects that it goes on.
    const paced = profileOf('replay', { pace: { minDelayMs: 60_000 } })
    const wait = decide(first, NETWORK, paced, DEFAULT_POLICY, moment({ online: false })).phase
    expect(wait).toMatchObject({ reason: 'offline', hurry: true, waitMs: 60_000 })
    expect(run(first, NETWORK, 'replay', {}, { retryAfterMs: 5 })).toMatchObject({ hurry: false })
    expect(run(first, LIMITED)).toMatchObject({ hurry: false })
    expect(run(first, IN_PROGRESS)).toMatchObject({ hurry: false })
  })

  it('is never less than the profile’s least', () => {
    const profile = profileOf('replay', { pace: { minDelayMs: 3_000 } })
    const at = (when: Partial<Moment>, ended: Answered) =>
      flat(decide(first, ended, profile, DEFAULT_POLICY, moment(when)))
    expect(at({ random: 0 }, NETWORK)).toMatchObject({ waitMs: 3_000 })
    expect(at({ retryAfterMs: 0 }, LIMITED)).toMatchObject({ waitMs: 3_000 })
    expect(at({ retryAfterMs: 9_000 }, LIMITED)).toMatchObject({ waitMs: 9_000 })
  })

  it('after “not now” is never nothing where the server did not say when', () => {
    expect(waitMs({ random: 0 }, {}, LIMITED)).toBe(250)
    expect(waitMs({ random: 0 }, {}, IN_PROGRESS)).toBe(250)
    expect(
      waitMs({}, {}, answered({ is: 'not-executed', because: 'unavailable', waitMs: 77 })),
    ).toBe(77)
    expect(waitMs({}, {}, answered({ is: 'in-progress', waitMs: 88 }))).toBe(88)
  })
})

describe('offline', () => {
  it('is waited out at no cost, with a probe every 30 s, past the deadline', () => {
    const when = { online: false, spent: 99, elapsedMs: 999_999, affordable: false }
    expect(run(first, NETWORK, 'replay', {}, when)).toEqual({
      is: 'waiting',
      reason: 'offline',
      waitMs: 30_000,
      hurry: true,
      costs: false,
      cleared: false,
      conflict: false,
    })
  })

  it('explains no timeout and no answer', () => {
    expect(run(first, TIMEOUT, 'replay', {}, { online: false })).toMatchObject({
      reason: 'backoff',
    })
    expect(run(first, UNKNOWN, 'replay', {}, { online: false })).toMatchObject({
      reason: 'backoff',
    })
  })

  it('is no leave to send again where the server promises no replay', () => {
    for (const guarantee of ['window', 'none'] as const) {
      expect(run(first, NETWORK, guarantee, {}, { online: false })).toMatchObject({
        is: 'unknown',
        reason: 'not-retryable',
      })
    }
  })
})

describe('work in progress', () => {
  it('is waited for up to a minute, the last wait ending there', () => {
    const since = (ms: number) => recordOf({ inProgressSince: NOW - ms })
    const asked = { retryAfterMs: undefined, random: 1, round: 9 }
    expect(run(since(0), IN_PROGRESS, 'replay', {}, asked)).toMatchObject({ waitMs: 30_000 })
    expect(run(since(55_000), IN_PROGRESS, 'replay', {}, asked)).toMatchObject({ waitMs: 5_000 })
    expect(run(since(60_000), IN_PROGRESS, 'replay', {}, asked)).toMatchObject({
      is: 'unknown',
      reason: 'in-progress',
    })
  })

  it('is not asked after its limit, however long the server says', () => {
    const record = recordOf({ inProgressSince: NOW - 50_000 })
    const decision = run(record, IN_PROGRESS, 'replay', {}, { retryAfterMs: 40_000 })
    expect(decision).toMatchObject({ is: 'waiting', waitMs: 40_000 })
  })
})

describe('a conflict without evidence', () => {
  it('is asked again after one second, after two more, and is then a refusal', () => {
    const seen = (conflicts: number) =>
      run(recordOf({ attempt: conflicts + 1, ambiguous: conflicts + 1, conflicts }), CONFLICT)
    expect(seen(0)).toMatchObject({ is: 'waiting', waitMs: 1_000, conflict: true })
    expect(seen(1)).toMatchObject({ is: 'waiting', waitMs: 2_000, conflict: true })
    expect(seen(2)).toMatchObject({ is: 'refused' })
  })

  it('is no conflict of ours after an attempt without an answer', () => {
    const record = recordOf({ attempt: 3, ambiguous: 3, conflicts: 1 })
    expect(run(record, CONFLICT)).toMatchObject({ is: 'waiting', conflict: false })
  })
})

describe('what the rules are told', () => {
  it.each([
    [1, 1, 0, false],
    [2, 2, 0, true],
    [5, 1, 0, false],
    [3, 3, 2, false],
    [4, 4, 2, true],
  ])(
    'attempt %i with %i ambiguous, %i of them conflicts: %s',
    (attempt, ambiguous, conflicts, earlier) => {
      const history = historyOf(recordOf({ attempt, ambiguous, conflicts }))
      expect(history).toEqual({ attempts: attempt, ambiguous: earlier })
    },
  )
})
