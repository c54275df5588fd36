import type { Rule, ServerProfile, Verdict } from './profile.ts'
import { NOT_OURS } from './read.ts'
import { SUCCESSFUL } from './sign.ts'

/** What {@link stripe} can be told. */
export interface StripeOptions {
  /** How long keys are remembered, in milliseconds. @default 86_400_000 (24 hours, the least that Stripe promises) */
  readonly ttlMs?: number
}

const DAY_MS = 86_400_000

const IN_PROGRESS: Verdict = { is: 'in-progress' }
const REPLAYED = { 'idempotent-replayed': /^true$/i }

const RULES: readonly Rule[] = [
  ...NOT_OURS,
  { status: SUCCESSFUL, header: REPLAYED, then: { is: 'success', replayed: true } },
  // Saved once execution began, as every other answer: for a day the same key is answered with the same 500.
  { status: { from: 500, to: 599 }, header: REPLAYED, then: { is: 'unknown', final: true } },
  { body: { '/error/code': 'idempotency_key_in_use' }, then: IN_PROGRESS },
  // Another request holds the object; with 429, which is no limit of the rate here.
  { body: { '/error/code': 'lock_timeout' }, then: IN_PROGRESS },
  { body: { '/error/type': 'idempotency_error' }, then: { is: 'mismatch' } },
  // "The request conflicts with another request (perhaps due to using the same idempotent key)."
  { status: 409, then: IN_PROGRESS },
]

/**
 * Stripe's API v1, and servers that do as it does: a key in a header, the first answer again whatever it was, 500s
 * included. Not saved are 401, 429, conflicts, and what was refused before anything ran. A browser has no secret key
 * of Stripe's: this is for a server of yours that passes key and answers on.
 *
 * Sources: https://docs.stripe.com/api/idempotent_requests, https://docs.stripe.com/error-low-level and
 * https://docs.stripe.com/error-codes (statuses of the last two codes: as reported, not documented); the ladder of
 * retries, and `Stripe-Should-Retry`, in stripe/stripe-node 6639421, `src/RequestSender.ts`.
 */
export function stripe(options: StripeOptions = {}): ServerProfile {
  return {
    id: 'stripe',
    guarantee: 'replay',
    key: { place: { header: 'idempotency-key' }, maxLength: 255 },
    ttlMs: options.ttlMs ?? DAY_MS,
    failureKey: 'rotate',
    rules: RULES,
    pace: { shouldRetryHeader: 'stripe-should-retry' },
  }
}
