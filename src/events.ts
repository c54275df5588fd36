import type { Verdict } from './profiles/profile.ts'

interface EventBase {
  /** Wall clock, in milliseconds since 1970. */
  readonly at: number
  readonly operation: string
  /** The last six characters of the key: enough to tell keys apart, too little to use one. */
  readonly keyTail: string | undefined
  /** Which attempt of this key, from 1; 0 before the first. */
  readonly attempt: number
}

/** What happens to operations, for logs and pictures. Never holds a whole key, a body or an address. */
export type SendonceEvent =
  | (EventBase & {
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
      readonly type: 'answered'
      readonly status: number
      readonly verdict: Verdict['is']
    })
  | (EventBase & {
      readonly type: 'unanswered'
      readonly because: 'network' | 'timeout' | 'aborted' | 'body-lost'
    })
  | (EventBase & {
      readonly type: 'waiting' | 'paused' | 'unknown' | 'succeeded' | 'refused'
      readonly reason?: string | undefined
      readonly nextAttemptAt?: number
    })
  | (EventBase & {
      readonly type: 'not-durable' | 'record-set-aside' | 'record-expired'
      readonly cause: unknown
    })
