import type { Ways } from './diary.ts'

/** An order that was really placed. */
export interface Effect {
  /** As answers name it. */
  readonly id: string
  /** What its request was known by: a key, a token, a number, a request id. */
  readonly key: string | undefined
  /** The address of a move that was made: it counts for everybody who finds it so. */
  readonly made?: string
}

/** A request as it leaves, or as it arrives. */
export type Sent = Pick<Request, 'method' | 'url' | 'headers'>

/** What the witness looks at of the server. */
export interface Evidence extends Ways {
  effects(): readonly Effect[]
  /** What names the operation of a request. */
  nameOn(request: Sent): string | undefined
  /** The one-time token that a request carries. @default none */
  tokenOn?(request: Sent): string | undefined
  /** When a request says that its operation was first sent. @default it does not */
  dateOn?(request: Sent): string | undefined
  /**
   * Whether pages see by locks that another lives. Where they only outwait it, it may end what they have just claimed:
   * what leaves then is one more delivery of the same.
   */
  readonly locks: boolean
}

/** What an answer calls the order that it is about. */
export function idIn(data: unknown): string | undefined {
  return (data as { readonly id?: string } | undefined)?.id
}

/** Questions and tokens have none. */
export function hasEffect({ method }: Sent): boolean {
  return method !== 'GET'
}

/** A request as it is handed to `fetch`. */
export function sentBy(input: RequestInfo | URL, init: RequestInit | undefined): Sent {
  const given = input instanceof Request ? input : undefined
  return {
    method: init?.method ?? given?.method ?? 'GET',
    url: given?.url ?? String(input),
    headers: new Headers(init?.headers ?? given?.headers),
  }
}
