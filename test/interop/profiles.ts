import type { ServerProfile } from 'sendonce'
import { idempotencyKey } from 'sendonce'
import { businessNumber } from '../../src/profiles/business-number.ts'
import { dedupeTable } from '../../src/profiles/dedupe-table.ts'
import { oneTimeToken } from '../../src/profiles/one-time-token.ts'
import { stateMachine } from '../../src/profiles/state-machine.ts'
import { LONGEST_MS } from './backend/breaking.ts'

/* What a client has to be told of the reference back end, a mechanism each. */

export const byKey: ServerProfile = { ...idempotencyKey(), requestId: 'x-request-id' }

export const byEnvelope: ServerProfile = dedupeTable({
  header: 'x-request-id',
  code: '/code',
  done: 'DONE',
  processing: 'PROCESSING',
  data: '/data',
})

const token = {
  url: '/api/token',
  at: '/token',
  place: { header: 'x-idempotent-token' },
  duplicate: { status: 409, body: { '/code': 'token-used' } },
} as const

/** Nobody can be asked. */
export const byToken: ServerProfile = oneTimeToken(token)

/** For what is still in a socket when nobody waits for it any more. */
const ON_ITS_WAY_MS = 3_000

/** The order that a token was spent on can be asked for; what is not ordered by then never will be. */
export const byTokenAsked: ServerProfile = {
  ...oneTimeToken({ ...token, recover: '/api/token-orders/{token}' }),
  id: 'token-asked',
  settleMs: LONGEST_MS + ON_ITS_WAY_MS,
}

const number = { place: { body: '/orderNo' }, prefix: 'order_' } as const
const rejected = { guarantee: 'reject', exists: { status: 409 } } as const

/** It belongs to another order: a refusal, and no work in progress. */
const taken = { status: 409, body: { '/code': 'number-taken' } } as const
const numbered = businessNumber(number)

export const byNumber: ServerProfile = {
  ...numbered,
  rules: [{ ...taken, then: { is: 'failure', said: 'origin' } }, ...numbered.rules],
}
export const byNumberRejected: ServerProfile = businessNumber({ ...number, ...rejected })
export const byNumberAsked: ServerProfile = businessNumber({
  ...number,
  ...rejected,
  recover: '/api/numbered-orders/{key}',
})

export const paying: ServerProfile = stateMachine({
  state: '/status',
  reached: 'PAID',
  ended: 'CANCELLED',
})
export const cancelling: ServerProfile = stateMachine({
  state: '/status',
  reached: 'CANCELLED',
  ended: 'PAID',
})
