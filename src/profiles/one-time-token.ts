import type { Envelope } from './envelope.ts'
import { readAs } from './envelope.ts'
import { IN_PROGRESS_RULES } from './idempotency-key.ts'
import type { JsonPointer, Place, ServerProfile } from './profile.ts'
import type { RecoverAt } from './recover-at.ts'
import { recoverableAt } from './recover-at.ts'
import type { Signs } from './sign.ts'
import { rulesFor } from './sign.ts'

/** What {@link oneTimeToken} can be told about a server. */
export interface OneTimeTokenOptions {
  /** Where a token is issued; a relative address is for the base URL of your ky. @default '/api/token' */
  readonly url?: string
  /** How the token is asked for. @default 'GET' */
  readonly method?: 'GET' | 'POST'
  /** Where that reply has the token; `''` for a reply that is nothing but the token. @default '/token' */
  readonly at?: JsonPointer
  /** Where the token goes. @default { header: 'x-idempotent-token' } */
  readonly place?: Place
  /** How long a token that was not sent yet is good, in milliseconds. @default 300_000 (5 minutes) */
  readonly lifetimeMs?: number
  /** How the server refuses a token that it does not have (any more). @default { status: 409 } */
  readonly duplicate?: Signs
  /**
   * How it says that a token expired or was never issued, where it tells that from one that was *used*. Only then a
   * fresh one is fetched by itself. Most servers cannot tell. @default nothing
   */
  readonly expired?: Signs
  /** For a server that answers everything with 200. @default answers are read by their status */
  readonly envelope?: Envelope
  /** How to ask what became of an operation whose token is used up. @default nobody can be asked */
  readonly recover?: RecoverAt
}

const FIVE_MINUTES_MS = 300_000

/**
 * A token of the server is good for once, so that the same one can be shown again at any time; after a day a person
 * has to look.
 */
const TTL_MS = 86_400_000

/**
 * A one-time token that the server issues and one atomic step spends (Redis `GETDEL`, or a script): a repeat is
 * refused, and no answer is kept. After a lost reply the same token is sent again as a probe; where it is refused
 * then, the first one was most likely executed: `recover`, else unknown.
 *
 * Sources, all servers with the token in a header or a parameter: opengoofy/congomall 43dcee5 (200, `A000201` for
 * used and expired alike), wangzaiplus/springboot fe4daa3 (200, `status` 1 and a text), zmbdp/frameworkjava 5af3fb8
 * (400).
 */
export function oneTimeToken({
  url = '/api/token',
  method = 'GET',
  at = '/token',
  place = { header: 'x-idempotent-token' },
  lifetimeMs = FIVE_MINUTES_MS,
  duplicate = { status: 409 },
  expired = [],
  envelope,
  recover,
}: OneTimeTokenOptions = {}): ServerProfile {
  return recoverableAt(recover, {
    id: `one-time-token:${Object.entries(place)}`,
    guarantee: 'reject',
    key: null,
    token: { request: { url, method }, at, lifetimeMs, place },
    ttlMs: TTL_MS,
    failureKey: 'rotate',
    ...readAs(envelope, [
      ...rulesFor(expired, { is: 'not-executed', because: 'token-expired' }),
      ...IN_PROGRESS_RULES,
      ...rulesFor(duplicate, { is: 'duplicate' }),
    ]),
  })
}
