import type { ClientOptions } from './client-options.ts'
import type { SendonceEvent } from './events.ts'
import type { Host } from './host.ts'
import type { Platform } from './platform.ts'
import type { SubmitRequest } from './request.ts'
import type { Sent } from './send.ts'
import type { Wire } from './wire.ts'

/** What a client tells its developer of the usual mistakes. Made by the development build alone. */
export interface Hints {
  submitted(submitted: Submitted): void
  happened(event: SendonceEvent): void
  /** What came of an attempt that had left for an origin. */
  attempted(origin: string, sent: Sent, wire: Wire): void
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
  readonly scope: ClientOptions['scope']
  readonly platform: Platform
}

export type HintsMaker = (about: Hinted) => Hints

let make: HintsMaker | undefined

/** Clients that are created from now on have hints. */
export function hintBy(maker: HintsMaker | undefined): void {
  make = maker
}

export const createHints = (about: Hinted): Hints | undefined => make?.(about)
