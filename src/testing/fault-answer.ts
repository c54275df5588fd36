import { html, httpDate, json } from './answers.ts'
import type { Answer } from './exchange.ts'
import type { Fault } from './faults.ts'
import type { Finding } from './say.ts'
import { say } from './say.ts'

/** What gateways say with a page of their own, before the application is asked. */
const GATEWAY_STATUSES: readonly number[] = [413, 502, 503, 504]

/** A key in use, for a second. */
const IN_USE: Finding = { word: 'processing', subject: 'Idempotency-Key', retryAfterMs: 1_000 }

export function faultAnswer(fault: Extract<Fault, { is: 'status' }>, now: number): Answer {
  const { status, evidence, replayed, retryAfter } = fault
  const answer =
    status === 409 && evidence
      ? say({}, IN_USE)
      : GATEWAY_STATUSES.includes(status)
        ? html(status, `Status ${status}`)
        : status < 300
          ? json(status, { status: 'accepted' })
          : json(status, { message: `Status ${status}` })
  const wait = typeof retryAfter === 'object' ? httpDate(now + retryAfter.inMs) : retryAfter
  const headers = {
    ...answer.headers,
    ...(wait !== undefined && { 'retry-after': String(wait) }),
    ...(replayed && { 'idempotent-replayed': 'true' }),
  }
  return { ...answer, headers }
}
