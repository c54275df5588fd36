import type { Rule, ServerProfile, Verdict } from 'sendonce'
import { createClient } from 'sendonce'

const NOT_EXECUTED: Verdict = { is: 'not-executed', because: 'unavailable' }

const RULES: readonly Rule[] = [
  { status: 200, body: { '/code': 'OK' }, then: { is: 'success' } },
  { status: 200, body: { '/code': 'REPEATED' }, then: { is: 'success', replayed: true } },
  { status: 200, body: { '/code': 'PROCESSING' }, then: { is: 'in-progress', waitMs: 500 } },
  { status: 200, body: { '/code': /^E\d+$/ }, then: { is: 'failure', said: 'origin' } },
  { status: { from: 500, to: 599 }, header: { 'x-executed': 'no' }, then: NOT_EXECUTED },
]

/** A server that answers everything with 200 and says in an envelope what it means. */
const envelope: ServerProfile = {
  id: 'orders-envelope',
  guarantee: 'replay',
  key: { place: { header: 'x-request-id' }, mint: () => crypto.randomUUID(), maxLength: 36 },
  ttlMs: 3_600_000,
  failureKey: 'rotate',
  rules: RULES,
  data: '/data',
  pace: { inProgressLimitMs: 20_000, retryAfter: [{ body: '/retryInMs', unit: 'ms' }] },
  classify: (reply, history) =>
    reply.status === 200 && reply.json === undefined && history.attempts > 1
      ? { is: 'unknown' }
      : undefined,
}

export const api = createClient({ scope: 'ada', profile: envelope })
