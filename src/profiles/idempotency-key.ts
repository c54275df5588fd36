import type { JsonPointer, Rule, ServerProfile, Verdict } from './profile.ts'
import { NOT_OURS } from './read.ts'
import { SUCCESSFUL } from './sign.ts'

/** What {@link idempotencyKey} can be told about a server. */
export interface IdempotencyKeyOptions {
  /**
   * Send the key in double quotes, as the draft has it. Most servers want it raw, and take a quoted key for another,
   * longer one.
   * @default false
   */
  readonly quoted?: boolean
  /** The header that carries the key. @default 'idempotency-key' */
  readonly header?: string
  /** How long the server remembers a key, in milliseconds. @default 86_400_000 (24 hours, the most common promise) */
  readonly ttlMs?: number
  /** Whether the next submit after a definite no gets a new key, or the same again. @default 'rotate' */
  readonly failureKey?: 'rotate' | 'keep'
}

const DAY_MS = 86_400_000

/** Where servers say what an error is: problem details (RFC 9457), flat objects, and a nested `error`. */
const EVIDENCE: readonly JsonPointer[] = [
  '/type',
  '/title',
  '/code',
  '/detail',
  '/error',
  '/message',
  '/error/type',
  '/error/code',
  '/error/message',
]

const evidence = (status: readonly number[], pattern: RegExp, verdict: Verdict): Rule[] =>
  EVIDENCE.map(pointer => ({ status, body: { [pointer]: pattern }, then: verdict }))

const CONFLICT = [409, 423]
const IN_PROGRESS: Verdict = { is: 'in-progress' }
const MISMATCH: Verdict = { is: 'mismatch' }
const REPLAYED: Verdict = { is: 'success', replayed: true }

/**
 * "In use" only of a key: an e-mail address that is in use is a refusal. Anchored look-aheads, because a text of some
 * hundred kilobytes must not take quadratic time.
 */
const SAYS_IN_PROGRESS =
  /in.?(?:progress|flight)|outstanding.?for|being.?processed|key.?(?:is.?)?in.?use|concurrent.?request/i
const SAYS_MISMATCH =
  /^(?=.*(?:idempot|fingerprint)).*(?:mis+match|not.?match|different|reus|already.{0,6}used|duplicate|idempotency.?error)/is

/** A conflict that says by title, type, code or text that another delivery is at work. */
export const IN_PROGRESS_RULES: readonly Rule[] = evidence(CONFLICT, SAYS_IN_PROGRESS, IN_PROGRESS)

const RULES: readonly Rule[] = [
  // Before the markers, which are hints: servers have been seen to set them on answers that were no replays.
  ...NOT_OURS,
  { status: SUCCESSFUL, header: { 'idempotent-replayed': /^true$/i }, then: REPLAYED },
  { status: SUCCESSFUL, header: { 'idempotency-replayed': /^true$/i }, then: REPLAYED },
  {
    status: SUCCESSFUL,
    header: { 'idempotency-status': /^re(?:played|peated)$/i },
    then: REPLAYED,
  },
  ...IN_PROGRESS_RULES,
  // The draft says 422; Stripe 400, Increase 409, express-idempotency 417. Without evidence a 422 is validation.
  ...evidence([400, 409, 417, 422], SAYS_MISMATCH, MISMATCH),
  // Whatever else the idempotency layer says with a 409, it is no refusal by the business.
  ...evidence(CONFLICT, /idempot/i, IN_PROGRESS),
  { status: CONFLICT, header: { 'retry-after': /./ }, then: IN_PROGRESS },
]

/**
 * The IETF draft "The Idempotency-Key HTTP Header Field" (draft-ietf-httpapi-idempotency-key-header-07) and the many
 * servers and middlewares that follow it: a key in a header, the first answer again for the same key, 409 while the
 * first is being worked on, 422 for the same key with another body.
 */
export function idempotencyKey(options: IdempotencyKeyOptions = {}): ServerProfile {
  const { quoted = false, header = 'idempotency-key', ttlMs = DAY_MS } = options
  const as = quoted ? 'structured-string' : 'raw'
  return {
    id: `idempotency-key:${header.toLowerCase()}:${as}`,
    guarantee: 'replay',
    key: { place: { header, as } },
    ttlMs,
    failureKey: options.failureKey ?? 'rotate',
    rules: RULES,
  }
}
