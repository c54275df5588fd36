import type { Answer } from './exchange.ts'
import type { Fault } from './faults.ts'

export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
  }
}

export function html(status: number, title: string): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><title>${title}</title><h1>${title}</h1>`,
  }
}

/** Problem details as RFC 9457 writes them. */
export function problem(
  status: number,
  type: string,
  title: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(
    status,
    { type, title, status, detail },
    { 'content-type': 'application/problem+json', ...headers },
  )
}

// The titles are the examples of draft-ietf-httpapi-idempotency-key-header-07, section 2.7; it names no types.

export function keyMissing(): Answer {
  return keyProblem(
    400,
    'missing',
    'Idempotency-Key is missing',
    'This operation is idempotent and requires a key.',
  )
}

export function keyMismatch(): Answer {
  return keyProblem(
    422,
    'mismatch',
    'Idempotency-Key is already used',
    'The key came before with another request. It must not be used again with another body.',
  )
}

/** `retryAfterS` in seconds. */
export function keyInUse(retryAfterS: number): Answer {
  return keyProblem(
    409,
    'in-use',
    'A request is outstanding for this Idempotency-Key',
    'A request with this key is being processed. Ask again later.',
    { 'retry-after': String(retryAfterS) },
  )
}

function keyProblem(
  status: number,
  slug: string,
  title: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return problem(
    status,
    `https://example.com/problems/idempotency-key-${slug}`,
    title,
    detail,
    headers,
  )
}

export function signedOut(): Answer {
  return problem(401, 'about:blank', 'Unauthorized', 'Sign in first.')
}

export function invalidFields(detail: string): Answer {
  return problem(422, 'https://example.com/problems/invalid-order', 'Invalid order', detail)
}

/** What gateways say with a page of their own, before the application is asked. */
const GATEWAY_STATUSES: readonly number[] = [413, 502, 503, 504]

export function faultAnswer(fault: Extract<Fault, { is: 'status' }>, now: number): Answer {
  const { status, evidence, retryAfter } = fault
  const answer =
    status === 409 && evidence
      ? keyInUse(1)
      : GATEWAY_STATUSES.includes(status)
        ? html(status, `Status ${status}`)
        : status < 300
          ? json(status, { status: 'accepted' })
          : json(status, { message: `Status ${status}` })
  if (retryAfter === undefined) return answer
  const wait = typeof retryAfter === 'object' ? httpDate(now + retryAfter.inMs) : String(retryAfter)
  return { ...answer, headers: { ...answer.headers, 'retry-after': wait } }
}

export function httpDate(at: number): string {
  return new Date(at).toUTCString()
}
