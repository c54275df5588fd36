import type { Codes } from './envelope.ts'
import { readAs, withCode } from './envelope.ts'
import type { JsonPointer, ServerProfile } from './profile.ts'
import type { RecoverAt } from './recover-at.ts'
import { recoverableAt } from './recover-at.ts'
import { rulesFor } from './sign.ts'

/** What {@link dedupeTable} can be told about a server. */
export interface DedupeTableOptions {
  /** Carries the id of the request. @default 'x-request-id' */
  readonly header?: string
  /** Where the code is. @default '/code' */
  readonly code?: JsonPointer
  /** It is done, now or before. @default `ok` or `done` */
  readonly done?: Codes
  /** It was done before, and this is its result, where the server has a code of its own for that. @default none */
  readonly replayed?: Codes
  /** Another delivery of the id is being worked on. @default `processing` */
  readonly processing?: Codes
  /** The id came with another request before. @default `mismatch` */
  readonly mismatch?: Codes
  /** The codes that ask for another sign-in. @default none */
  readonly unauthorized?: Codes
  /** Where the result is. @default '/data' */
  readonly data?: JsonPointer
  /** How long rows are kept, in milliseconds. @default 86_400_000 (24 hours) */
  readonly ttlMs?: number
  /** Whether a failed id may run again (`keep`), or the failure stays its answer (`rotate`). @default 'rotate' */
  readonly failureKey?: 'rotate' | 'keep'
  /** How to ask what became of a request. @default sending it again does */
  readonly recover?: RecoverAt
}

const DAY_MS = 86_400_000

/**
 * A table with a row for every request id (processing, done, failed, and the result), inserted under a unique index
 * in the transaction of the effect. Everything is answered with 200 and a code: what is neither done nor processing
 * is a refusal with its reason in the body. `retryAfterMs` beside the code says how long to wait, as `Retry-After`
 * does. A lock around the work may answer 409 or 423, which is "processing" too.
 *
 * Source: zmbdp/frameworkjava 5af3fb8 (PROCESSING / SUCCESS / FAILED, the result replayed in its mode
 * `returnCachedResult`); the table itself as https://brandur.org/idempotency-keys has it for PostgreSQL.
 */
export function dedupeTable({
  header = 'x-request-id',
  code = '/code',
  done = /^(?:ok|done)$/i,
  replayed = [],
  processing = /^processing$/i,
  mismatch = /^mismatch$/i,
  unauthorized = [],
  data = '/data',
  ttlMs = DAY_MS,
  failureKey = 'rotate',
  recover,
}: DedupeTableOptions = {}): ServerProfile {
  return recoverableAt(recover, {
    id: `dedupe-table:${header.toLowerCase()}`,
    guarantee: 'replay',
    key: { place: { header } },
    ttlMs,
    failureKey,
    ...readAs({ code, success: done, unauthorized, data }, [
      ...rulesFor([...withCode(processing, code), { status: [409, 423] }], { is: 'in-progress' }),
      ...rulesFor(withCode(mismatch, code), { is: 'mismatch' }),
      ...rulesFor(withCode(replayed, code), { is: 'success', replayed: true }),
    ]),
    pace: { retryAfter: [{ header: 'retry-after' }, { body: '/retryAfterMs', unit: 'ms' }] },
  })
}
