/** What a server allows to pages of other origins. */
export interface CorsOptions {
  /** Whose pages may call. @default any */
  readonly origins?: readonly string[]
  /** Headers that a page may send. @default whatever it asks for */
  readonly allowHeaders?: readonly string[]
  /** What may be asked for. @default GET, POST, PUT, PATCH, DELETE */
  readonly allowMethods?: readonly string[]
  /** Headers that a page may read. @default markers, `Date`, `ETag`, `Location`, `Retry-After` and the request id */
  readonly exposeHeaders?: readonly string[]
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const EXPOSED = [
  'date',
  'etag',
  'idempotent-replayed',
  'location',
  'operation-location',
  'retry-after',
  'x-request-id',
]

/** Response headers that every page may read: https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name */
const SAFELISTED: readonly string[] = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
]

export function safelisted(
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => SAFELISTED.includes(name.toLowerCase())),
  )
}

/**
 * The headers by which a server says what it allows; none for an origin that it does not know. A wildcard is not allowed
 * with credentials, so everything is named.
 */
export function corsHeaders(
  options: CorsOptions,
  origin: string | undefined,
  askedFor: string | undefined,
): Readonly<Record<string, string>> {
  const { origins, allowHeaders, allowMethods = METHODS, exposeHeaders = EXPOSED } = options
  if (origins && !(origin !== undefined && origins.includes(origin))) return { vary: 'origin' }
  return {
    'access-control-allow-origin': origin ?? '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': allowMethods.join(', '),
    'access-control-allow-headers': allowHeaders?.join(', ') ?? askedFor ?? '',
    'access-control-expose-headers': exposeHeaders.join(', '),
    vary: 'origin',
  }
}
