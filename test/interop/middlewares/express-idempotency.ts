import { getSharedIdempotencyService, idempotency } from 'express-idempotency'
import type { Middleware } from './main.ts'

/**
 * express-idempotency as its README has it, with its store in memory. It calls `next` after a replay too, so that an app
 * that does not ask `isHit` runs again.
 */
export function expressIdempotency(): Middleware {
  const handler = idempotency()
  return { handler, answered: request => getSharedIdempotencyService().isHit(request) }
}
