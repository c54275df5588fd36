import type { Backend, Head } from '../exchange.ts'
import { exchange } from '../exchange.ts'
import { redirectOf } from './redirect.ts'
import { resent } from './resend.ts'
import { aborted, responseOf } from './response.ts'

/** The Fetch standard follows this many, then it is a network error. */
const MAX_REDIRECTS = 20

/** What every engine calls it when no answer came, in Chromium's words. */
export const NETWORK_ERROR: string = 'Failed to fetch'

/** The server behind the signature of `fetch`, without a network: redirects, aborts and errors as a page sees them. */
export function directFetch(backend: Backend, origin: string): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(
      input instanceof Request ? input : new URL(String(input), origin),
      init,
    )
    const { signal } = request
    signal.throwIfAborted()
    const body = new Uint8Array(await request.arrayBuffer())
    signal.throwIfAborted()
    return Promise.race([
      follow(backend, request, body),
      aborted(signal).then(reason => Promise.reject(reason)),
    ])
  }
}

async function follow(backend: Backend, request: Request, sent: Uint8Array): Promise<Response> {
  let body = sent
  let head: Head = {
    method: request.method,
    url: request.url,
    headers: Object.fromEntries(request.headers),
    reused: false,
  }
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { released } = backend
    const ending = await resent(head, resend => exchange(backend, resend, async () => body))
    const redirect = redirectOf(head, ending)
    if (!redirect) {
      if (ending.is === 'opaque') return withhold('opaque', '')
      const response = await responseOf(ending, released, request.signal)
      if (response.type === 'error') break
      return disguise(response, { url: head.url, redirected: redirects > 0, type: 'basic' })
    }
    if (request.redirect === 'error') break
    if (request.redirect === 'manual') return withhold('opaqueredirect', request.url)
    head = redirect.head
    if (!redirect.keepsBody) body = new Uint8Array()
  }
  throw new TypeError(NETWORK_ERROR)
}

/** A response that a page may know of, and not read. */
function withhold(type: 'opaque' | 'opaqueredirect', url: string): Response {
  return disguise(new Response(null), { type, url, status: 0, ok: false, statusText: '' })
}

/** What a `Response` made by hand cannot say of itself, on its clones too. */
export function disguise(response: Response, traits: Readonly<Record<string, unknown>>): Response {
  const clone = response.clone.bind(response)
  const disguised = { ...traits, clone: () => disguise(clone(), traits) }
  return Object.defineProperties(
    response,
    Object.fromEntries(
      Object.entries(disguised).map(([name, value]) => [name, { value, configurable: true }]),
    ),
  )
}
