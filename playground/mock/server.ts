import type { SharedMockServer } from 'sendonce/testing'
import { createSharedMockServer } from 'sendonce/testing'

/** Where the shop with sendonce orders: it asks for a key. */
export const ORDERS_PATH = '/api/orders'
/** Where the other one does: it executes whatever comes. */
export const PLAIN_ORDERS_PATH = '/api/plain/orders'

/** Long enough to press reload in the middle. */
const WORK_MS = 800

/** The shop's server. It lives in the page, its tables in IndexedDB, so that it outlives a reload. */
export const server: SharedMockServer = createSharedMockServer('sendonce-playground', {
  workMs: WORK_MS,
  routes: {
    [ORDERS_PATH]: { shop: 'sendonce' },
    [PLAIN_ORDERS_PATH]: { shop: 'plain', requireKey: false },
  },
})
