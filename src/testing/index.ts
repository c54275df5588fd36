// The server

export type { Controls, MechanismTables, Query } from './controls.ts'
export type { MockServer, SharedMockServer } from './server.ts'
export { createMockServer, createSharedMockServer } from './server.ts'
export type { Fields, MockServerOptions, RouteOptions } from './settings.ts'

// How it executes a request once, and how it talks

export type { AcceptedOptions } from './mechanisms/accepted-work.ts'
export type { NumberOptions } from './mechanisms/business-number.ts'
export type { MechanismInput, MechanismOptions } from './mechanisms/catalogue.ts'
export type { DedupeOptions } from './mechanisms/dedupe-table.ts'
export type { LockOptions } from './mechanisms/expiring-lock.ts'
export type { TokenOptions } from './mechanisms/one-time-token.ts'
export type { WindowOptions } from './mechanisms/repeat-window.ts'
export type { RequestIdOptions } from './mechanisms/request-id.ts'
export type { BeginningState, StateOptions } from './mechanisms/state-machine.ts'
export type { Place, Pointer } from './places.ts'
export type { Saying, Style, Word } from './say.ts'

// Its faces, beside `server.fetch` and the one of `sendonce/testing/msw`

export type { CorsOptions } from './cors.ts'
export { crossOriginFetch } from './faces/cross-origin.ts'
export type { Listening, ListenOptions } from './faces/node.ts'
export { listen } from './faces/node.ts'

// How it breaks, and what it shows

export type { FaultPlan } from './admin.ts'
export type { Fault, FaultInput, FaultRule, When } from './faults.ts'
export type {
  CallRow,
  DedupeRow,
  JobRow,
  LockRow,
  NumberRow,
  StateRow,
  TokenRow,
  WindowRow,
} from './mechanism-rows.ts'
export type { Delivery, DeliveryReply, Names, Order } from './tables.ts'

// For another face

export type { Admitted, Answer, Backend, Ending, Head, Step } from './exchange.ts'
export { exchange } from './exchange.ts'
