// What an app calls.

// What it is given and gives.
export type { Client, UnsettledOperation } from './client.ts'
export { createClient } from './client.ts'
export type { ClientOptions } from './client-options.ts'
export type { RetryPolicy } from './decide.ts'
export type { Sentences } from './describe.ts'
export { describe } from './describe.ts'
export type { ErrorCode } from './errors.ts'
export { isSendonceError, SendonceError } from './errors.ts'
export type { SendonceEvent } from './events.ts'
export type { FetchInit, Match, SendonceFetch } from './fetch.ts'
export type {
  Idle,
  Outcome,
  Paused,
  PauseReason,
  Preparing,
  Refused,
  Sending,
  Snapshot,
  Succeeded,
  TurnProgress,
  Unknown,
  UnknownReason,
  Waiting,
  WaitReason,
} from './lifecycle.ts'
export type { Operation } from './operation.ts'
export { OutcomeError } from './outcome-error.ts'
export type { BusinessNumberOptions } from './profiles/business-number.ts'
export { businessNumber } from './profiles/business-number.ts'
export type { DedupeTableOptions } from './profiles/dedupe-table.ts'
export { dedupeTable } from './profiles/dedupe-table.ts'
export type { Codes, Envelope } from './profiles/envelope.ts'
export type { IdempotencyKeyOptions } from './profiles/idempotency-key.ts'
export { idempotencyKey } from './profiles/idempotency-key.ts'
export type { OneTimeTokenOptions } from './profiles/one-time-token.ts'
export { oneTimeToken } from './profiles/one-time-token.ts'
// For writing a profile or a store of one's own.
export type {
  Ask,
  History,
  JsonPointer,
  Place,
  RecoverContext,
  Recovered,
  Reply,
  Rule,
  ServerProfile,
  TokenRules,
  Verdict,
} from './profiles/profile.ts'
export type { RecoverAt } from './profiles/recover-at.ts'
export type { RepeatWindowOptions } from './profiles/repeat-window.ts'
export { repeatWindow } from './profiles/repeat-window.ts'
export type { RepeatabilityOptions } from './profiles/repeatability.ts'
export { repeatability } from './profiles/repeatability.ts'
export type { Sign, Signs } from './profiles/sign.ts'
export type { StateMachineOptions } from './profiles/state-machine.ts'
export { stateMachine } from './profiles/state-machine.ts'
export type { StripeOptions } from './profiles/stripe.ts'
export { stripe } from './profiles/stripe.ts'
export { remainingMs } from './remaining.ts'
export type { SubmitRequest } from './request.ts'
export type { KyLike, KyLikeOptions } from './send.ts'
export type { Durability } from './store/indexed-db.ts'
export type { Change, OperationStore, RecordKey } from './store/store.ts'
export type { Lane, LaneStep, Timeline, TimelineOptions } from './timeline.ts'
export { createTimeline } from './timeline.ts'
