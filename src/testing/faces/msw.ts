import type { HttpHandler } from 'msw'
import { http } from 'msw'
import type { Backend, Ending, Head } from '../exchange.ts'
import { exchange } from '../exchange.ts'
import { redirectOf } from './redirect.ts'
import { resent } from './resend.ts'
import { responseOf } from './response.ts'

/** What the handlers answer. */
export interface MockHandlerOptions {
  /** Only requests to this origin, such as `https://shop.example`. @default any */
  readonly origin?: string
}

/**
 * The server, by its `backend`, as MSW handlers, for `setupServer` in Node and `setupWorker` in browsers. A worker that is
 * stopped waits for what hangs: call `server.release()` before. What MSW cannot say: an answer that is opaque (there is none), and in
 * Node that a 307 or 308 was followed (`redirected` stays false).
 */
export function mockHandlers(
  server: { readonly backend: Backend },
  options: MockHandlerOptions = {},
): HttpHandler[] {
  const { backend } = server
  return backend.paths.map(path =>
    http.all(`${options.origin ?? '*'}${path}`, async ({ request, cookies }) => {
      const { released } = backend
      const body = new Uint8Array(await request.clone().arrayBuffer())
      // A service worker does not see the header; MSW knows what would have been in it.
      const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
      const headers = {
        ...(cookie.length > 0 && { cookie: cookie.join('; ') }),
        ...Object.fromEntries(request.headers),
      }
      const head = { method: request.method, url: request.url, headers, reused: false }
      const ending = await (inServiceWorker() ? deliver : deliverFollowing)(backend, head, body)
      return responseOf(ending, released, request.signal)
    }),
  )
}

/** Whether a browser stands behind MSW, and follows redirects by itself. */
function inServiceWorker(): boolean {
  return typeof navigator === 'object' && 'serviceWorker' in navigator
}

function deliver(backend: Backend, head: Head, body: Uint8Array): Promise<Ending> {
  return resent(head, resend => exchange(backend, resend, async () => body))
}

/**
 * In Node MSW follows a request with a body over a 303 only, and breaks it over any other redirect: those that keep the
 * body are followed here, the rest become a 303, which nobody can tell from what it was.
 */
async function deliverFollowing(backend: Backend, head: Head, body: Uint8Array): Promise<Ending> {
  const ending = await deliver(backend, head, body)
  const redirect = redirectOf(head, ending)
  if (!redirect || ending.is !== 'answer') return ending
  if (redirect.keepsBody) return deliverFollowing(backend, redirect.head, body)
  return { ...ending, answer: { ...ending.answer, status: 303 } }
}
