// The server

export type { Controls, Query } from './controls.ts'
export type { MockServer, SharedMockServer } from './server.ts'
export { createMockServer, createSharedMockServer } from './server.ts'
export type { Fields, MockServerOptions, RouteOptions } from './settings.ts'

// Its faces, beside `server.fetch`

export type { MockHandlerOptions } from './faces/msw.ts'
export { mockHandlers } from './faces/msw.ts'
export type { Listening, ListenOptions } from './faces/node.ts'
export { listen } from './faces/node.ts'

// How it breaks, and what it shows

export type { FaultPlan } from './admin.ts'
export type { Fault, FaultInput, FaultRule, When } from './faults.ts'
export type { DedupeRow, Delivery, DeliveryReply, Order } from './tables.ts'

// For another face

export type { Admitted, Answer, Backend, Ending, Head, Step } from './exchange.ts'
export { exchange } from './exchange.ts'
