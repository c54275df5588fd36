import type { Answer } from './exchange.ts'

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

export function signedOut(): Answer {
  return problem(401, 'about:blank', 'Unauthorized', 'Sign in first.')
}

export function httpDate(at: number): string {
  return new Date(at).toUTCString()
}
