import type { SharedMockServer } from 'sendonce/testing'
import { createSharedMockServer } from 'sendonce/testing'
import { MECHANISMS } from '../mechanisms.ts'

/** The doors of the shop with sendonce, one for each mechanism. */
export const ORDERS_PATHS: readonly string[] = MECHANISMS.map(({ path }) => path)
/** Where the other one orders: it executes whatever comes. */
export const PLAIN_ORDERS_PATH = '/api/plain/orders'

/** Long enough to press reload in the middle. */
const WORK_MS = 800

/** The shop's server. It lives in the page, its tables in IndexedDB, so that it outlives a reload. */
export const server: SharedMockServer = createSharedMockServer('sendonce-playground', {
  workMs: WORK_MS,
  routes: {
    ...Object.fromEntries(MECHANISMS.map(({ path, route }) => [path, route])),
    [PLAIN_ORDERS_PATH]: { shop: 'plain', requireKey: false },
  },
})
