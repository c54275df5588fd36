import type { Client } from 'sendonce'
import { createClient, idempotencyKey } from 'sendonce'
import { noteEvent } from './journal.ts'

/** Slow enough for a person to follow, and to press reload in between. An app leaves all of this out. */
const WATCHABLE_WAIT_MS = 4_000
const PATIENCE_MS = 6_000

export const api: Client = createClient({
  scope: 'ada',
  profile: { ...idempotencyKey(), pace: { minDelayMs: WATCHABLE_WAIT_MS } },
  retry: { attemptTimeoutMs: PATIENCE_MS, maxDelayMs: 2 * WATCHABLE_WAIT_MS },
  onEvent: event => noteEvent('sendonce', event),
})
