import type { Ending, Head } from '../exchange.ts'

/** Where a redirect leads. A 307 or 308 keeps method and body; after any other a POST goes on as a GET without one. */
export interface Redirect {
  readonly head: Head
  readonly keepsBody: boolean
}

export function redirectOf(head: Head, ending: Ending): Redirect | undefined {
  if (ending.is !== 'answer') return undefined
  const { status, headers } = ending.answer
  if (status < 300 || status >= 400 || headers.location === undefined) return undefined
  const keepsBody = status >= 307
  const url = new URL(headers.location, head.url).href
  return { keepsBody, head: { ...head, url, method: keepsBody ? head.method : 'GET' } }
}
