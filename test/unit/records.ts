import type { OperationRecord, Phase } from '../../src/record.ts'

/** Some wall clock. */
export const NOW: number = Date.UTC(2030, 0, 1)

/** A record in the middle of its first attempt; `changes` says what is different. */
export function recordOf(changes: Partial<OperationRecord> = {}): OperationRecord {
  return {
    version: 1,
    key: 'first-key',
    place: { header: 'idempotency-key', as: 'raw' },
    profile: 'profile',
    ttlMs: 86_400_000,
    request: {
      method: 'POST',
      url: 'http://shop.test/api/orders',
      headers: { 'content-type': 'application/json' },
      fingerprint: 'book',
      body: { kept: true, bytes: new Uint8Array([1, 2, 3]) },
    },
    startedAt: NOW,
    attempt: 1,
    sent: changes.attempt ?? 1,
    ambiguous: 1,
    conflicts: 0,
    firstSentAt: NOW,
    once: false,
    sensitive: false,
    phase: sending(),
    ...changes,
  }
}

export const sending = (
  changes: Partial<Extract<Phase, { is: 'sending' }>> = {},
): Extract<Phase, { is: 'sending' }> => ({
  is: 'sending',
  owner: 'page-a',
  leaseUntil: NOW + 31_000,
  leaseMs: 31_000,
  locked: true,
  ...changes,
})

export const waiting = (
  changes: Partial<Extract<Phase, { is: 'waiting' }>> = {},
): Extract<Phase, { is: 'waiting' }> => ({
  is: 'waiting',
  owner: 'page-a',
  reason: 'backoff',
  nextAttemptAt: NOW + 5_000,
  waitMs: 5_000,
  hurry: true,
  ...changes,
})

export const succeeded = (
  changes: Partial<Extract<Phase, { is: 'succeeded' }>> = {},
): Extract<Phase, { is: 'succeeded' }> => ({
  is: 'succeeded',
  at: NOW,
  answer: { status: 201, headers: [['content-type', 'application/json']] },
  from: 'reply',
  bodyLost: false,
  ...changes,
})

export const refused = (at: number = NOW): Extract<Phase, { is: 'refused' }> => ({
  is: 'refused',
  at,
  answer: { status: 422, headers: [] },
})
