import type { Client, RetryPolicy, SendonceEvent } from 'sendonce'
import { createClient } from 'sendonce'

const patient: Partial<RetryPolicy> = { maxAttempts: 20, deadlineMs: 600_000, maxDelayMs: 60_000 }

export const api: Client = createClient({
  scope: 'ada',
  retry: patient,
  joinMs: 2_000,
  keepSettledMs: 60_000,
  durability: 'relaxed',
  onEvent: log,
})

/** One submit may have less time than the others. */
export async function orderQuickly(json: unknown): Promise<boolean> {
  const retry = { attemptTimeoutMs: 3_000, deadlineMs: 10_000 }
  const outcome = await api.submit('quick', { url: '/api/orders', json, retry, once: true })
  return outcome.state === 'unknown' && outcome.reason === 'deadline'
}

function log(event: SendonceEvent): void {
  switch (event.type) {
    case 'answered':
      console.debug(event.operation, event.attempt, event.status, event.verdict)
      break
    case 'waiting':
      console.debug(event.operation, event.reason, event.nextAttemptAt)
      break
    case 'not-durable':
      console.warn(event.cause)
      break
    default:
      console.debug(event.at, event.type, event.keyTail)
  }
}
