/** A JSON pointer (RFC 6901): `''` is the whole document, `/a/0/b` a member of it. */
export type JsonPointer = `/${string}` | ''

/** Where on the request a key or a token goes. */
export type Place =
  | {
      /** The name of the header. */
      readonly header: string
      /** `structured-string`: in double quotes, as RFC 8941 writes a string. @default 'raw' */
      readonly as?: 'raw' | 'structured-string'
    }
  /** A parameter of the `query`, by its name. */
  | { readonly query: string }
  /** A member of the `body`. It has to be given as `json`, so that the rest of it stays as it was, byte for byte. */
  | { readonly body: JsonPointer }
  /** A part of the `path` that it stands in for, as often as it occurs: `{orderNo}` for `url: 'orders/{orderNo}'`. */
  | { readonly path: string }

/** A one-time token that *identifies the operation*: the server issues it, and the request that carries it spends it. */
export interface TokenRules {
  /** Where it is issued. A relative address is for the base URL of your ky, as that of a submit. */
  readonly request: {
    /** http(s), or relative. */
    readonly url: string
    /** How it is asked for. @default 'GET' */
    readonly method?: 'GET' | 'POST'
  }
  /** Where the reply has it; `''` for a reply that is nothing but the token. */
  readonly at: JsonPointer
  /** How long one that was not sent yet is good, in milliseconds. */
  readonly lifetimeMs: number
  /** Where the request carries it. */
  readonly place: Place
  /** How long to wait for it, in milliseconds. @default 10_000 */
  readonly timeoutMs?: number
}

/** What a reply means. See the verdict table in the guide. */
export type Verdict =
  /** It happened. `replayed`: the server says that it had answered before. */
  | { readonly is: 'success'; readonly replayed?: boolean }
  /** A definite no. `said` by the `front`: a layer before the idempotency layer, which knows of no earlier delivery. */
  | { readonly is: 'failure'; readonly said: 'front' | 'origin' }
  /** Nothing was executed; the same key is sent again after a while. */
  | {
      readonly is: 'not-executed'
      /** `token-expired`: the server tells a token that expired, or that it never issued, from one that was used. */
      readonly because: 'unauthorized' | 'rate-limited' | 'unavailable' | 'token-expired'
      /** How long to wait, in milliseconds. @default a backoff */
      readonly waitMs?: number
    }
  /** Another delivery of this key is being worked on. `waitMs`: when to ask again, in milliseconds; else after a backoff. */
  | { readonly is: 'in-progress'; readonly waitMs?: number }
  /**
   * Accepted, and its outcome is to be had elsewhere. `poll` says where the reply has that address: the name of a header,
   * or a JSON pointer into the body; `waitMs` when to ask there. Only an address of the same origin is asked.
   */
  | { readonly is: 'pending'; readonly poll: string; readonly waitMs?: number }
  /** A conflict without evidence: work in progress, or a conflict of the business ("already taken"). */
  | { readonly is: 'conflict' }
  /** This key was used up before, and the server kept no answer to show. */
  | { readonly is: 'duplicate' }
  /** The key was used with another request. */
  | { readonly is: 'mismatch' }
  /** Nobody knows whether it happened. `final`: asked again the server would say the same (a stored 500). */
  | { readonly is: 'unknown'; readonly final?: boolean }

/** What came back of an attempt, as the rules see it. */
export interface Reply {
  /** The HTTP status; 0 for an answer that may not be read. */
  readonly status: number
  /** Those that the page may read. */
  readonly headers: Headers
  /** The parsed body where it is JSON, else undefined. */
  readonly json: unknown
  /** The body was cut off while it was read. */
  readonly bodyLost: boolean
  /** The answer came from another address than the one asked. */
  readonly redirected: boolean
}

/** What went before the attempt whose reply is being read. */
export interface History {
  /** Which attempt of this key it was, from 1. */
  readonly attempts: number
  /** An earlier attempt may have arrived and was not answered. */
  readonly ambiguous: boolean
}

/** What {@link ServerProfile.recover} is told of the operation that it asks about. */
export interface RecoverContext {
  /** The name that the app gave it. */
  readonly operation: string
  /** As it was sent, without quotes. */
  readonly key: string | undefined
  /** The one-time token, where the profile has one. */
  readonly token: string | undefined
  /** As it was sent; relative where it was given so. */
  readonly url: string
  /** The body as it was sent, where it was JSON and is still at hand. */
  readonly json: unknown
  /** What the last attempt was answered, where that led to this question. */
  readonly reply: Reply | undefined
}

/**
 * Asks the server by the client's ky, with its base URL and auth hooks, once, within the time of one attempt. Resolves
 * with whatever answer comes, 404 included. @default GET
 */
export type Ask = (
  url: string,
  options?: {
    /** The HTTP method. @default 'GET' */
    readonly method?: string
    /** Sent beside those of your ky. */
    readonly headers?: Readonly<Record<string, string>>
    /** Sent as the body. */
    readonly json?: unknown
  },
) => Promise<Response>

/** What the server says of an operation. `data` is what the answer of a success would have held. */
export type Recovered =
  | { readonly is: 'succeeded'; readonly data: unknown }
  | { readonly is: 'not-applied' }
  /** It is being worked on: asked again at the profile's pace, for as long as it waits for work in progress. */
  | { readonly is: 'in-progress' }
  | { readonly is: 'unknown' }

/** A row of a profile's table: all conditions that are given must hold; the first rule that matches wins. */
export interface Rule {
  /** One status, some, or all `from` one `to` another. */
  readonly status?: number | readonly number[] | { readonly from: number; readonly to: number }
  /** Header name to its exact value, or a pattern. */
  readonly header?: Readonly<Record<string, string | RegExp>>
  /** JSON pointer into the body to the exact value there, or a pattern for a string. */
  readonly body?: Readonly<Partial<Record<JsonPointer, string | number | boolean | null | RegExp>>>
  /** What the reply means. */
  readonly then: Verdict
}

/**
 * How one server does idempotency: where the key goes, what its answers mean, what it guarantees. A plain object, found
 * again after a reload by its `id`, so `id` must stay the same as long as records of it may exist.
 */
export interface ServerProfile {
  /** Stored in every record. A preset's id carries its wire options, so that a deploy cannot change a key in flight. */
  readonly id: string
  /**
   * What the server promises for a second delivery of the same key, and so whether sending again is allowed at all.
   * `replay`: the first answer comes back. `reject`: refused, no answer kept. `window`: refused for some seconds, then
   * executed again. `none`: executed again.
   */
  readonly guarantee: 'replay' | 'reject' | 'window' | 'none'
  /** The idempotency key. `null`: the server takes none. */
  readonly key: {
    /** Where the request carries it. */
    readonly place: Place
    /** Makes a new key. @default 24 letters and digits, beginning with a letter (142 random bits) */
    readonly mint?: () => string
    /** In characters. @default 1 */
    readonly minLength?: number
    /** In characters. @default 255 */
    readonly maxLength?: number
    /** What it has to match. */
    readonly pattern?: RegExp
    /** Headers that go with the key. `firstSentAt` stays the same for as long as an attempt may have been executed. */
    readonly companions?: (first: {
      /** As it is minted or given, without quotes. */
      readonly key: string
      /** Wall clock, milliseconds since 1970. */
      readonly firstSentAt: number
    }) => Readonly<Record<string, string>>
  } | null
  /** A one-time token that the server issues before. */
  readonly token?: TokenRules
  /** A header that carries one id for all attempts of an operation, with or without a key. */
  readonly requestId?: string
  /** How long the server remembers a key, in milliseconds. Attempts stop before it runs out. */
  readonly ttlMs: number
  /** Whether the next submit after a definite no gets a new key, or the same again. */
  readonly failureKey: 'rotate' | 'keep'
  /** First match wins; what none matches is read by status. */
  readonly rules: readonly Rule[]
  /** Where an envelope keeps the result. @default the whole body */
  readonly data?: JsonPointer
  /** How long to wait. */
  readonly pace?: {
    /** Least time between two attempts, in milliseconds; the network's return cuts a wait short all the same. @default 0 */
    readonly minDelayMs?: number
    /** Longest wait for an operation that the server calls in progress. @default 60_000 */
    readonly inProgressLimitMs?: number
    /**
     * Where the server says how long to wait: a `header` with seconds or a date, or a number in the `body` and its `unit`.
     * @default [{ header: 'retry-after' }]
     */
    readonly retryAfter?: readonly (
      | { readonly header: string }
      | { readonly body: JsonPointer; readonly unit: 's' | 'ms' }
    )[]
    /** A header by which the server says `true` or `false` to sending again, over what the status means. */
    readonly shouldRetryHeader?: string
  }
  /** Looked at before the rules; `undefined` leaves the reply to them. If it throws, or says no verdict, nothing is known. */
  classify?(reply: Reply, history: History): Verdict | undefined
  /**
   * Asks the server what became of an operation, without sending anything that could have an effect. Called by `recover()`, and by the loop after the verdict `duplicate`. One that rejects has learnt nothing.
   */
  recover?(context: RecoverContext, ask: Ask): Promise<Recovered>
  /** What `recover` calls not applied can never be applied any more. @default false */
  readonly recoverIsFinal?: boolean
  /** So long after the last send, in milliseconds, "not applied" is final. @default never */
  readonly settleMs?: number
}
