import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { ClaimContext, Fresh } from '../../src/claim.ts'
import { claim } from '../../src/claim.ts'
import { age, collect } from '../../src/collect.ts'
import { discard } from '../../src/discard.ts'
import type { OperationRecord } from '../../src/record.ts'
import { parseRecord } from '../../src/record.ts'
import { FUZZ_TIMEOUT_MS, fuzz } from './fuzz.ts'
import { NOW, recordOf, refused, sending, succeeded, waiting } from './records.ts'

vi.setConfig({ testTimeout: FUZZ_TIMEOUT_MS })

const whole: readonly OperationRecord[] = [
  recordOf(),
  recordOf({ phase: sending(), poll: 'http://shop.test/jobs/1', token: { value: 't', at: NOW } }),
  recordOf({ phase: waiting(), lastSentBy: NOW, inProgressSince: NOW }),
  recordOf({ phase: { is: 'paused', reason: 'rate-limited', nextAttemptAt: NOW, waitMs: 1 } }),
  recordOf({
    phase: { is: 'unknown', reason: 'attempts' },
    happened: { status: 201, headers: [] },
  }),
  recordOf({ phase: succeeded() }),
  recordOf({ phase: refused() }),
]

/** All members that lie in a record, each as the way to it. */
const ways = (value: unknown, way: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
    ? Object.entries(value).flatMap(([name, member]) => [
        [...way, name],
        ...ways(member, [...way, name]),
      ])
    : []

/** The same record with something else at one place. */
function spoil(record: OperationRecord, way: readonly string[], by: unknown): unknown {
  const copy: Record<string, unknown> = structuredClone(record) as never
  const path = [...way]
  const last = path.pop() ?? ''
  const parent = path.reduce((at, name) => at[name] as Record<string, unknown>, copy)
  if (by === undefined) delete parent[last]
  else parent[last] = by
  return copy
}

const anything = fc.oneof(
  fc.anything({
    maxDepth: 2,
    withDate: true,
    withMap: true,
    withTypedArray: true,
    withBigInt: true,
  }),
  fc.constantFrom(...[undefined, null, '', 'http://evil.test/', '__proto__', [], {}, -1, 1e308]),
  fc.constantFrom(...[0, NaN, Infinity, Number.MAX_SAFE_INTEGER, 'sending', 'succeeded', true]),
)
const spoiled = fc
  .constantFrom(...whole)
  .chain(record =>
    fc.tuple(fc.constantFrom(...ways(record)), anything).map(([way, by]) => spoil(record, way, by)),
  )
const stored = fc.oneof({ weight: 9, arbitrary: spoiled }, { weight: 1, arbitrary: anything })

const fresh: Fresh = {
  record: recordOf({
    key: 'second-key',
    attempt: 0,
    sent: 0,
    ambiguous: 0,
    firstSentAt: undefined,
    phase: { is: 'unknown', reason: 'interrupted' },
  }),
  failureKey: 'rotate',
  calledAt: NOW,
  queuedMs: 0,
  told: undefined,
  joinMs: 1_000,
}
type Claiming = Pick<ClaimContext, 'start' | 'asks'>
const context = (claiming: Claiming, now: number): ClaimContext => ({
  ...claiming,
  now,
  elapsedMs: 0,
  owner: 'page-b',
  leaseMs: 31_000,
  attemptTimeoutMs: 30_000,
  keepSettledMs: 600_000,
  present: true,
  gone: undefined,
  outwaited: undefined,
  hurried: false,
  shownAt: NOW,
  met: undefined,
  online: true,
  hasBody: false,
  profile: id => (id === 'profile' ? { guarantee: 'replay' } : undefined),
})

describe('whatever lies in the store', () => {
  it('is nothing, a stub, a record or unreadable; what is no record is left as it is', () => {
    fc.assert(
      fc.property(stored, value => {
        const found = parseRecord(value)
        expect(['nothing', 'stub', 'record', 'unreadable']).toContain(found.is)
        if (found.is === 'unreadable') {
          expect(collect(value, NOW + 1e12, 0)).toEqual({ result: found })
        }
      }),
      fuzz(3_000),
    )
  })

  it('is never sent where it cannot be read, and never replaced', () => {
    const bound = { key: 'first-key' }
    const claims = fc.constantFrom<Claiming>(
      { start: { fresh }, asks: false },
      { start: bound, asks: false },
      { start: bound, asks: true },
    )
    const now = fc.constantFrom(NOW, NOW + 40_000, NOW - 3_600_000, NOW + 90_000_000)
    fc.assert(
      fc.property(stored, claims, now, (value, claiming, when) => {
        const found = parseRecord(value)
        const change = claim(value, context(claiming, when))
        if (found.is === 'unreadable') expect(change).toEqual({ result: { is: 'unreadable' } })
        // A bound turn goes on with the key that it was bound to, whatever was put there.
        const { key } = claiming.start
        if (key !== undefined && change.result.is === 'taken') {
          expect(change.result.record.key).toBe(key)
        }
      }),
      fuzz(3_000),
    )
  })

  it('can be given up, and leaves nothing but a stub', () => {
    fc.assert(
      fc.property(stored, value => {
        const found = age(parseRecord(value), NOW, 600_000)
        const change = discard(value, undefined, NOW)
        if ('keep' in change) expect(parseRecord(change.keep).is).toBe('stub')
        if (found.is === 'unreadable') expect(change).toEqual({ drop: true, result: undefined })
      }),
      fuzz(2_000),
    )
  })
})
