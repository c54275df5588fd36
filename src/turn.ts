import type { Broadcast } from './broadcast.ts'
import type { Budget } from './budget.ts'
import type { Bytes } from './bytes.ts'
import type { Start } from './claim.ts'
import type { RetryPolicy } from './decide.ts'
import type { SendonceEvent } from './events.ts'
import type { Hints } from './hints.ts'
import { keyTail } from './key.ts'
import type { Platform, Stop } from './platform.ts'
import type { Presence } from './presence.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { Answer, OperationRecord } from './record.ts'
import type { Call, KyLike } from './send.ts'
import type { Records } from './store/fallback.ts'
import type { RecordKey } from './store/store.ts'

/** What the loops of one client share. */
export interface Engine extends Pick<Presence, 'present' | 'appeared'> {
  readonly platform: Platform
  readonly records: Records
  readonly broadcast: Broadcast
  readonly budget: Budget
  readonly hints: Hints | undefined
  readonly ky: KyLike | undefined
  readonly hooksMayRetry: boolean
  readonly origins: readonly string[] | undefined
  readonly keepSettledMs: number
  /** The client was closed: what is on the wire may end, nothing more is sent. */
  closed(): boolean
  /** This document, new at every load. */
  readonly owner: string
  scope(): string | null
  profile(id: string): ServerProfile | undefined
  emit(event: EventDetail, operation: string, record?: OperationRecord): void
}

type Distribute<E> = E extends SendonceEvent
  ? Omit<E, 'at' | 'operation' | 'keyTail' | 'attempt'>
  : never
/** An event without what every event has. */
export type EventDetail = Distribute<SendonceEvent>

/** Why a loop is told to stop. */
export type StopReason =
  /** The last caller has gone. */
  | 'aborted'
  /** The operation was discarded, forgotten or replaced by another body. */
  | 'ended'

/** One run of the loop. */
export interface Turn {
  readonly operation: string
  readonly scope: string
  readonly at: RecordKey
  /** Ready when the request is frozen; rejects with a `body` error. */
  readonly start: Promise<Start>
  /** What a submit brought; a resume has only what the record kept. */
  readonly bytes: () => Bytes | undefined
  /** Sent with every attempt, and never stored. */
  readonly guardHeaders?: Readonly<Record<string, string>> | undefined
  readonly policy: RetryPolicy
  /** It asks what happened, and sends nothing. */
  readonly asks: boolean
  /** When this page had been shown to a person before this turn was asked for, wall clock. */
  readonly shownAt: () => number
  /** @default the client's */
  readonly onStorageFailure?: 'memory' | 'refuse' | undefined
  /** Its reason is a {@link StopReason}. */
  readonly signal: AbortSignal
  /** `spent`: attempts of this turn so far that cost one. */
  readonly show: (record: OperationRecord | undefined, queued: boolean, spent: number) => void
  /** The outcome, as soon as it is certain. Resolves when whoever waited for it has gone on, as far as that is quick. */
  readonly tell: (ending: Ending) => Promise<undefined>
  readonly onNews: (wake: () => void) => Stop
}

/** How a turn ended. */
export interface Ending {
  /** Undefined: nothing was minted (signed out before the submit). */
  readonly record: OperationRecord | undefined
  /** The whole answer of this turn, where it is more than what is kept. */
  readonly answer?: Answer | undefined
  /** The answer was stored before this turn. */
  readonly stored?: boolean | undefined
  readonly cause?: unknown
}

/** For events: enough of a key to tell it from others. */
export function tailOf(record: OperationRecord | undefined): string | undefined {
  return record?.place && keyTail(record.key)
}

/** Why nothing may leave now. */
export function barred(
  engine: Engine,
  turn: Pick<Turn, 'scope' | 'signal'>,
  to?: string,
): 'stopped' | 'scope' | 'origin' | undefined {
  if (turn.signal.aborted || engine.closed()) return 'stopped'
  if (engine.scope() !== turn.scope) return 'scope'
  return to === undefined || !engine.origins || engine.origins.includes(to) ? undefined : 'origin'
}

/** What every request of a turn is made with, a token's and a question's too. */
export function callOf(
  engine: Engine,
  turn: Pick<Turn, 'scope' | 'signal'>,
  timeoutMs: number,
): Call {
  const { ky, hooksMayRetry } = engine
  const { signal } = turn
  const look = (to: string) => barred(engine, turn, to)
  return { ky, hooksMayRetry, signal, timeoutMs: Math.max(0, timeoutMs), look }
}

/** The body as it was frozen: out of the record, or, where that did not keep it, as this turn brought it. */
export function bytesOf({ request }: OperationRecord, turn: Turn): Bytes | undefined {
  return request.body.kept ? request.body.bytes : turn.bytes()
}
