import type { SendonceEvent } from './events.ts'

/** What a client tells its developer of the usual mistakes. Made by the development build alone. */
export interface Hints {
  /** A submit, before anything is decided. `fingerprint`: equal for equal requests. */
  submitted(operation: string, method: string, url: string, fingerprint: Promise<string>): void
  happened(event: SendonceEvent): void
  /** Nothing came back from an origin, to which these headers went. */
  unanswered(origin: string, headers: readonly string[]): void
  answered(origin: string, response: Pick<Response, 'ok' | 'url' | 'headers'>): void
}

/** What a client's hints are about. */
export interface Hinted {
  /** The scope, where it is no function. */
  readonly fixedScope: string | undefined
  /** In milliseconds. */
  readonly now: () => number
}

type HintsMaker = (about: Hinted) => Hints

let make: HintsMaker | undefined

/** Clients that are created from now on have hints. */
export function hintBy(maker: HintsMaker | undefined): void {
  make = maker
}

export const createHints = (about: Hinted): Hints | undefined => make?.(about)
