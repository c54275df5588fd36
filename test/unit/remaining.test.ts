import { describe, expect, it } from 'vitest'
import type { Snapshot, WaitReason } from '../../src/lifecycle.ts'
import { remainingMs } from '../../src/remaining.ts'

const known = { operation: 'order', key: 'k', attempts: 2, startedAt: 0, durable: true }
const waiting = (reason: WaitReason, nextAttemptAt = 5_000): Snapshot<unknown> => ({
  ...known,
  state: 'waiting',
  here: true,
  reason,
  nextAttemptAt,
})

describe('the time that remains', () => {
  it.each(['backoff', 'in-progress', 'rate-limited'] as const)(
    'is that until the next attempt, for %s',
    reason => {
      expect(remainingMs(waiting(reason), 1_500)).toBe(3_500)
    },
  )

  it('is never below zero', () => {
    expect(remainingMs(waiting('backoff'), 5_001)).toBe(0)
  })

  it.each(['offline', 'other-tab'] as const)(
    'is not told where the clock does not decide: %s',
    reason => {
      expect(remainingMs(waiting(reason), 0)).toBeUndefined()
    },
  )

  it('is told of a pause that says when', () => {
    const paused = { ...known, state: 'paused', reason: 'rate-limited' } as const
    expect(remainingMs({ ...paused, nextAttemptAt: 60_000 }, 0)).toBe(60_000)
    expect(remainingMs(paused, 0)).toBeUndefined()
  })

  it('is not told of what does not wait', () => {
    expect(remainingMs({ state: 'idle', operation: 'order', read: true })).toBeUndefined()
    expect(remainingMs({ ...known, state: 'sending', here: true })).toBeUndefined()
  })
})
