import type { CorsOptions } from '../cors.ts'
import { corsHeaders, safelisted } from '../cors.ts'
import { disguise, NETWORK_ERROR } from './direct.ts'

/**
 * `server.fetch` as a page of another origin has it: a preflight comes before what needs one, and an answer shows the
 * headers only that the server exposes. What the server does not allow fails like a broken network, as in a browser.
 */
export function crossOriginFetch(
  server: { readonly fetch: typeof globalThis.fetch },
  options: CorsOptions & {
    /** The page's. @default 'http://app.test' */
    readonly origin?: string
  } = {},
): typeof globalThis.fetch {
  const { origin = 'http://app.test' } = options
  return async (input, init) => {
    const request = new Request(input, init)
    const names = unsafeHeaders(request)
    const allowed = corsHeaders(options, origin, names.join(', '))
    const list = (name: string) => (allowed[name] ?? '').toLowerCase().split(/, */)
    const methods = list('access-control-allow-methods')
    const refused =
      names.some(name => !list('access-control-allow-headers').includes(name)) ||
      !(SAFE_METHODS.includes(request.method) || methods.includes(request.method.toLowerCase()))
    const known = allowed['access-control-allow-origin'] !== undefined
    // Refused by the preflight: the request itself never leaves. Without one it arrives, and its answer is withheld.
    if (isPreflighted(request, names) && (refused || !known)) throw new TypeError(NETWORK_ERROR)
    const response = await server.fetch(request)
    if (!known) throw new TypeError(NETWORK_ERROR)
    const exposed = list('access-control-expose-headers')
    const all = Object.fromEntries(response.headers)
    const headers = new Headers({
      ...safelisted(all),
      ...Object.fromEntries(Object.entries(all).filter(([name]) => exposed.includes(name))),
    })
    const type = response.type === 'basic' ? 'cors' : response.type
    return disguise(response, { url: response.url, redirected: response.redirected, type, headers })
  }
}

/** https://fetch.spec.whatwg.org/#cors-safelisted-request-header, as far as a client of this package sends them. */
const SAFE_HEADERS: readonly string[] = ['accept', 'accept-language', 'content-language']
const SAFE_TYPES =
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'POST']

function unsafeHeaders(request: Request): readonly string[] {
  return [...request.headers]
    .filter(([name, value]) =>
      name === 'content-type' ? !SAFE_TYPES.test(value) : !SAFE_HEADERS.includes(name),
    )
    .map(([name]) => name)
}

function isPreflighted(request: Request, unsafe: readonly string[]): boolean {
  return unsafe.length > 0 || !SAFE_METHODS.includes(request.method)
}
