import type { Client } from 'sendonce'
import { createClient } from 'sendonce'
import { noteEvent } from './journal.ts'
import { MECHANISMS } from './mechanisms.ts'

/** Soon enough for a person to see it. An app leaves this out. */
const PATIENCE_MS = 6_000
const LONGEST_WAIT_MS = 8_000

export const api: Client = createClient({
  scope: 'ada',
  profiles: MECHANISMS.map(({ profile }) => profile),
  retry: { attemptTimeoutMs: PATIENCE_MS, maxDelayMs: LONGEST_WAIT_MS },
  onEvent: event => noteEvent('sendonce', event),
})
