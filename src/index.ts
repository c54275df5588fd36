// What an app calls.

// What it is given and gives.
export type { Client, ClientOptions, UnsettledOperation } from './client.ts'
export { createClient } from './client.ts'
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
  Unknown,
  UnknownReason,
  Waiting,
  WaitReason,
} from './lifecycle.ts'
export type { Operation } from './operation.ts'
export { OutcomeError } from './outcome-error.ts'
export { idempotencyKey } from './profiles/idempotency-key.ts'
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
export type { SubmitRequest } from './request.ts'
export type { KyLike, KyLikeOptions } from './send.ts'
export type { Change, OperationStore, RecordKey } from './store/store.ts'
