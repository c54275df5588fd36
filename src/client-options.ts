import type { RetryPolicy } from './decide.ts'
import type { SendonceEvent } from './events.ts'
import type { Match } from './fetch.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { KyLike } from './send.ts'
import type { Durability } from './store/indexed-db.ts'
import type { OperationStore } from './store/store.ts'

/** What a client is made of. */
export interface ClientOptions {
  /**
   * Whose operations these are: the signed-in account. A function is read at submit and before every attempt; null, or
   * another value than the record's, pauses. There is no default: a shared device must not send one person's request
   * with another's cookies.
   */
  readonly scope: string | (() => string | null)
  /** Tells clients of one origin apart (one per API). @default 'default' */
  readonly name?: string
  /**
   * Your ky, 1 or 2, with its base URL and auth hooks. Called once per attempt with its own retries off, so that hooks run
   * on every attempt. @default ky as it comes
   */
  readonly ky?: KyLike
  /** Your ky's afterResponse hooks may ask for one more try, to refresh a session. Costs a clone of each request. @default false */
  readonly hooksMayRetry?: boolean
  /**
   * The only origins that anything is sent to, whatever a stored record says: a script that was injected once cannot have
   * later pages send elsewhere. @default any
   */
  readonly origins?: readonly string[]
  /** How this server does idempotency. @default idempotencyKey() */
  readonly profile?: ServerProfile
  /** Further profiles that a submit may name. A record of an unregistered one is `unknown: profile-missing` after a reload. */
  readonly profiles?: readonly ServerProfile[]
  /**
   * How hard a turn tries, field by field.
   * @default 8 attempts of 30 s within 120 s, backoff from 0.5 to 30 s with full jitter
   */
  readonly retry?: Partial<RetryPolicy>
  /** Where records are kept. @default 'indexeddb' */
  readonly storage?: 'indexeddb' | 'memory' | OperationStore
  /**
   * What to do where the browser has never been able to store anything. `refuse`: nothing is sent unless its key is on
   * disk. @default 'memory'
   */
  readonly onStorageFailure?: 'memory' | 'refuse'
  /** Whether a key waits for the disk (`strict`) or for the operating system (`relaxed`). @default 'strict' */
  readonly durability?: Durability
  /** An identical submit this soon after a success gets that success, in milliseconds. @default 1_000 */
  readonly joinMs?: number
  /** How long a settled record keeps its answer for other tabs and for a page that died, in milliseconds. @default 600_000 */
  readonly keepSettledMs?: number
  /** Which of the requests of `api.fetch` are sent once. @default all but GET, HEAD and OPTIONS */
  readonly match?: Match
  /** Hears what happens. What it throws is reported and changes nothing. */
  readonly onEvent?: (event: SendonceEvent) => void
}
