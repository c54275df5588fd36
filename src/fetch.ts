import { GUARDS } from './address.ts'
import { invalid, isSendonceError } from './errors.ts'
import type { Outcome } from './lifecycle.ts'
import { OutcomeError } from './outcome-error.ts'
import type { Platform } from './platform.ts'
import type { SubmitRequest } from './request.ts'
import { freezeRequest } from './request.ts'
import { quickly } from './sha256.ts'

/** What a call of {@link SendonceFetch} can be told beside what `fetch` takes. */
export interface FetchInit extends RequestInit {
  /** The name of the operation. @default what `match` says, else derived from method, address and body */
  readonly operation?: string
}

/** `fetch`, of which what could have an effect is sent once. Its `signal` ends its own caller's waiting. */
export type SendonceFetch = (
  input: RequestInfo | URL,
  // Libraries hand on `undefined` where there is no signal (tRPC).
  init?: Omit<FetchInit, 'signal'> & { readonly signal?: AbortSignal | null | undefined },
) => Promise<Response>

/**
 * Which requests are sent once: false passes one through, a text names its operation. Never asked about GET, HEAD and
 * OPTIONS, which pass through.
 */
export type Match = (request: Request) => boolean | string

/** What a fetch is made on. */
export interface FetchOptions {
  readonly platform: Platform
  readonly match: Match | undefined
  /** The header in which a caller may give a key of its own. */
  readonly keyHeader: string | undefined
  readonly submit: (operation: string, request: SubmitRequest) => Promise<Outcome<unknown>>
}

const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** The longest address that stands in a derived name, in characters. */
const SHOWN_LENGTH = 100

/** The loop behind the signature of `fetch`, for whatever sits on a `fetch`. */
export function createFetch(options: FetchOptions): SendonceFetch {
  const { platform, match, submit } = options
  return async (input, init = {}) => {
    const request = new Request(input, init as RequestInit)
    if (SAFE.includes(request.method)) return platform.fetch(input, init as RequestInit)
    const matched = match?.(request.clone()) ?? true
    // Its body is the request's now.
    if (matched === false) return platform.fetch(request)
    if (request.mode === 'no-cors') {
      throw invalid('mode', request.mode, 'leave it out, its answer can never be read')
    }
    const form = init.body instanceof FormData ? init.body : undefined
    const bytes = form ? undefined : new Uint8Array(await request.arrayBuffer())
    const { signal } = request
    const headers: Record<string, string> = {}
    const guardHeaders: Record<string, string> = {}
    let key: string | undefined
    for (const [name, value] of request.headers) {
      if (name === options.keyHeader?.toLowerCase()) key = value
      else if (GUARDS.includes(name)) guardHeaders[name] = value
      // Of a form it holds a boundary of that very request.
      else if (!form || name !== 'content-type') headers[name] = value
    }
    const submitted = {
      url: request.url,
      method: request.method,
      headers,
      guardHeaders,
      signal,
      key,
      form,
      body: bytes?.length ? bytes : undefined,
    } as SubmitRequest
    try {
      const named = init.operation ?? (matched === true ? undefined : matched)
      const outcome = await submit(named ?? (await nameOf(submitted, platform)), submitted)
      if (outcome.state === 'succeeded' || outcome.state === 'refused') return outcome.response
      throw new OutcomeError(outcome)
    } catch (error) {
      // Nothing was sent: as every other fetch that is aborted.
      throw signal.aborted && isSendonceError(error, 'aborted') ? signal.reason : error
    }
  }
}

/** Equal for equal requests, so that a repeat meets the first for as long as nobody knows what became of that. */
async function nameOf(request: SubmitRequest, platform: Platform): Promise<string> {
  const { method, url, ready } = freezeRequest(request, quickly(platform))
  const { fingerprint } = await ready
  return `${method} ${url.split('?')[0]?.slice(0, SHOWN_LENGTH)} ${fingerprint.slice(0, 32)}`
}
