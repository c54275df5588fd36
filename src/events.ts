import type { Verdict } from './profiles/profile.ts'

interface EventBase {
  /** Wall clock, in milliseconds since 1970. */
  readonly at: number
  /** The name that the app gave it. */
  readonly operation: string
  /** The last six characters of the key: enough to tell keys apart, too little to use one. */
  readonly keyTail: string | undefined
  /** Which attempt of this key, from 1; 0 before the first. */
  readonly attempt: number
}

/**
 * What happens to operations, for logs and pictures. Never holds a whole key or a body; an address only in a name that
 * `api.fetch` derived: method and address, without the query.
 */
export type SendonceEvent =
  | (EventBase & {
      /**
       * `joined`: a submit met one that is under way, or one that has ended and whose answer is kept. `claimed`: an attempt is about to be made. `sent`: it leaves. `took-over`:
       * another page had begun it. `resumed`: another turn was asked for. `discarded`: it was given up. `token-fetched`: a
       * one-time token is there.
       */
      readonly type:
        | 'joined'
        | 'claimed'
        | 'sent'
        | 'took-over'
        | 'resumed'
        | 'discarded'
        | 'token-fetched'
    })
  | (EventBase & {
      /** An answer came. */
      readonly type: 'answered'
      /** The HTTP status. */
      readonly status: number
      /** How the profile reads it. */
      readonly verdict: Verdict['is']
    })
  | (EventBase & {
      /** No answer, or half of one. */
      readonly type: 'unanswered'
      /** `body-lost`: an answer came whose body broke off. */
      readonly because: 'network' | 'timeout' | 'aborted' | 'body-lost'
    })
  | (EventBase & {
      /** The turn goes on after a wait, or has ended. */
      readonly type: 'waiting' | 'paused' | 'unknown' | 'succeeded' | 'refused'
      /** Of `waiting`, `paused` and `unknown`, as in the snapshot. */
      readonly reason?: string | undefined
      /** Of `succeeded`, as in the outcome. `replay`: the server had done it before, and said so. */
      readonly from?: 'reply' | 'replay' | 'recover' | undefined
      /** Of `waiting`: when it goes on; wall clock, milliseconds since 1970. */
      readonly nextAttemptAt?: number
    })
  | (EventBase & {
      /** Something for a log that a developer reads. */
      readonly type: 'not-durable' | 'record-set-aside' | 'record-expired'
      /** What was thrown, or a sentence. */
      readonly cause: unknown
    })
