import type { SendonceEvent } from './events.ts'
import type { Host } from './host.ts'
import type { SubmitRequest } from './request.ts'

/** What a client tells its developer of the usual mistakes. Made by the development build alone. */
export interface Hints {
  submitted(submitted: Submitted): void
  happened(event: SendonceEvent): void
  /** Nothing came back from an origin, to which these headers went. */
  unanswered(origin: string, headers: readonly string[]): void
  answered(origin: string, response: Pick<Response, 'ok' | 'url' | 'headers'>): void
}

/** A submit, before anything is decided. */
export interface Submitted {
  readonly host: Host
  readonly scope: string | null
  readonly operation: string
  readonly request: SubmitRequest
  readonly method: string
  readonly url: string
  /** Equal for equal requests. */
  readonly fingerprint: Promise<string>
}

/** What a client's hints are about. */
export interface Hinted {
  /** Of the client. */
  readonly name: string
  /** The scope, where it is no function. */
  readonly fixedScope: string | undefined
  /** In milliseconds. */
  readonly now: () => number
}

export type HintsMaker = (about: Hinted) => Hints

let make: HintsMaker | undefined

/** Clients that are created from now on have hints. */
export function hintBy(maker: HintsMaker | undefined): void {
  make = maker
}

export const createHints = (about: Hinted): Hints | undefined => make?.(about)
