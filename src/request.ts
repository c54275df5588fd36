import { GUARDS, METHOD, pathOf, SOME_PAGE, webAddress } from './address.ts'
import type { FrozenBody, Insert } from './body.ts'
import { concat, FORM_TYPE, freezeBody } from './body.ts'
import type { Bytes } from './bytes.ts'
import type { RetryPolicy } from './decide.ts'
import { check, invalid, SendonceError } from './errors.ts'
import type { JsonPointer, Place, ServerProfile } from './profiles/profile.ts'
import type { FrozenRequest } from './record.ts'
import type { Digest } from './sha256.ts'

/** Above this a body is not stored, and a resume after a reload needs the same submit again. */
const MAX_KEPT_BYTES = 10 * 1024 * 1024

/** What to send. Frozen when it is submitted: what changes later in it has no effect. */
export type SubmitRequest<T = unknown> = {
  /** Absolute, http(s) and without credentials; or relative, for the base URL of your ky. A fragment is not sent. */
  url: string | URL
  /** The HTTP method. @default 'POST' */
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Stored and sent with every attempt. `Authorization` and `Cookie` are refused here: they belong in ky hooks. */
  headers?: Readonly<Record<string, string>>
  /**
   * What guards an attempt (`Authorization`, a CSRF token): sent with every attempt of this turn, and never stored or
   * compared. A hook of your ky does better: it is asked anew for every attempt, after a reload too.
   */
  guardHeaders?: Readonly<Record<string, string>>
  /** Appended to the query of `url`. */
  searchParams?: Readonly<Record<string, string | number | boolean>> | URLSearchParams
  /** Of a server that does it otherwise than the client's. Register it in the client's `profiles` too. */
  profile?: ServerProfile
  /** Overrides the client's policy, field by field. */
  retry?: Partial<RetryPolicy>
  /** `refuse`: nothing is sent unless it is on disk. @default the client's */
  onStorageFailure?: 'memory' | 'refuse'
  /** Before the first byte: nothing happened. After it: `unknown: aborted`. A joiner's signal ends the joiner's waiting only. */
  signal?: AbortSignal
  /** For a profile whose key the caller supplies (an order number). @default a new random one */
  key?: string
  /**
   * Members of `json`, or fields of `form`, that may differ between identical submits (a timestamp, a captcha answer).
   * Sent as they were first submitted.
   */
  volatile?: readonly JsonPointer[]
  /** Neither body nor answer is stored. A resume after a reload then needs the same submit again. @default false */
  sensitive?: boolean
  /** A success answers identical submits for 30 days, until `discard()` or another body of the operation. @default false */
  once?: boolean
  /** What becomes of the answer of a success: `data`. @default JSON by content type, else text, undefined for 204 */
  parse?: (response: Response) => T | Promise<T>
} & (
  | {
      /** Serialised once, at once. */
      json: unknown
      form?: never
      body?: never
    }
  | {
      /** Sent as multipart/form-data, the same bytes on every attempt. */
      form: FormData
      json?: never
      body?: never
    }
  | {
      /** Sent as it is. Streams cannot be sent twice and are refused. */
      body: string | URLSearchParams | Blob | ArrayBuffer | ArrayBufferView
      json?: never
      form?: never
    }
  | { json?: never; form?: never; body?: never }
)

/** What goes on the wire, and what tells it apart: what is written down of it, and all of its body. */
export interface Frozen extends FrozenRequest {
  readonly bytes: Bytes | undefined
}

/** A request whose wire form nothing can change any more. */
export interface FreezeResult {
  readonly method: string
  /** As given, with `searchParams`. A relative one stays so: only the app's ky knows its base. */
  readonly url: string
  /** Never stored or compared. */
  readonly guardHeaders: Readonly<Record<string, string>>
  /** Rejects with a `body` error where a file could not be read. */
  readonly ready: Promise<Frozen>
}

/**
 * Freezes a request. All that can be checked and copied at once is, before the first await: throws `invalid-argument`
 * or `body`.
 *
 * @param digest What the fingerprint is made by.
 * @param profile What it puts into a request has its place, and is not given otherwise.
 */
export function freezeRequest(
  request: SubmitRequest,
  digest: Digest,
  profile: Pick<ServerProfile, 'key' | 'token' | 'requestId'> = { key: null },
): FreezeResult {
  const { method = 'POST', volatile = [], sensitive = false } = request
  check(METHOD.test(method), 'method', method, 'use POST, PUT, PATCH or DELETE')
  const { key, token, requestId } = profile
  const placed = [
    { of: 'key', place: key?.place, given: request.key },
    { of: 'token', place: token?.place, given: undefined },
  ] as const
  const { url, href } = freezeUrl(
    request,
    placed.flatMap(({ place }) => place ?? []),
  )
  const reserved = [requestId]
  const inserts: Insert[] = []
  for (const { place, of, given } of placed) {
    if (!place) continue
    if ('header' in place) reserved.push(place.header)
    if ('body' in place) inserts.push({ pointer: place.body, of, given })
  }
  const headers = readHeaders('headers', request.headers)
  leaveOut(
    'headers',
    headers,
    GUARDS,
    'set it in a ky hook or in guardHeaders, it is not to be kept',
  )
  leaveOut('headers', headers, reserved, 'the server profile sets it, give your own as `key`')
  // Beside the key, or beside a header that is stored, it would be one more value of it, and so another one.
  const guards = request.guardHeaders && readHeaders('guardHeaders', request.guardHeaders)
  const set = [...reserved, 'content-type', ...headers.keys()]
  if (guards) leaveOut('guardHeaders', guards, set, 'leave it out, it is set already')

  const given = (['json', 'form', 'body'] as const).filter(name => request[name] !== undefined)
  const [content = 'json' in request ? 'json' : undefined, second] = given
  if (second) throw invalid(second, 'given', `leave it or ${content} out`)
  if (content === 'json' && !given[0]) {
    throw new SendonceError('body', 'json is undefined, leave it out.')
  }
  const typed = content === 'form' && headers.has('content-type')
  check(!typed, 'content-type', 'given', 'leave it out, a form has its own with a boundary')
  for (const pointer of volatile) {
    const named = content !== 'body' && /^\/./.test(pointer)
    check(named, 'volatile', pointer, 'name a field of json or form, such as /sentAt')
  }
  return {
    method,
    url,
    guardHeaders: Object.fromEntries(guards ?? []),
    ready: finish(freezeBody(request, volatile, inserts)),
  }

  async function finish(body: FrozenBody | Promise<FrozenBody>): Promise<Frozen> {
    const { contentType, canonical, encode, gaps } = await body
    // JSON says itself where it ends: no two requests give the same bytes.
    const whole = concat([JSON.stringify([1, method, href, ...headers, contentType]), canonical])
    const hash = new Uint8Array(await digest(whole))
    const fingerprint = Array.from(hash, byte => byte.toString(16).padStart(2, '0')).join('')
    // 128 bits, which do not occur in a body by chance; at most 70 characters are allowed (RFC 2046).
    const boundary = `sendonce-${fingerprint.slice(0, 32)}`
    if (contentType && !headers.has('content-type')) {
      const parameter = contentType === FORM_TYPE ? `; boundary=${boundary}` : ''
      headers.set('content-type', contentType + parameter)
    }
    const bytes = encode(boundary)
    const kept = !bytes || (!sensitive && bytes.length <= MAX_KEPT_BYTES)
    return {
      method,
      url,
      headers: Object.fromEntries(headers),
      fingerprint,
      gaps,
      body: kept ? { kept, bytes } : { kept },
      bytes,
    }
  }
}

/**
 * `href` is for the fingerprint. The page's own address is left out of it: it changes while a person walks through the
 * app, and the same order must stay the same.
 */
function freezeUrl(
  request: SubmitRequest,
  places: readonly Place[],
): { readonly url: string; readonly href: string } {
  const [path = ''] = String(request.url ?? '').split('#')
  const { searchParams } = request
  const query = searchParams
    ? String(new URLSearchParams(searchParams as Record<string, string>))
    : ''
  const url = query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path
  const parsed = path ? webAddress(url, SOME_PAGE) : undefined
  // A password is not for the log.
  const shown = path.replace(/\/\/.*@/, '//…@')
  check(parsed, 'url', shown, 'use http(s) without credentials, or a path')
  for (const place of places) {
    if ('path' in place) {
      const has = pathOf(url).split('?')[0]?.includes(place.path)
      check(has, 'url', path, `write ${place.path} where the server profile puts its value`)
    }
    if ('query' in place) {
      const free = !parsed.searchParams.has(place.query)
      check(free, 'url', path, `leave ${place.query} out, the server profile sets it`)
    }
  }
  return { url, href: parsed.href }
}

function readHeaders(what: string, given: SubmitRequest['headers']): Headers {
  try {
    return new Headers(given)
  } catch (cause) {
    throw new SendonceError('invalid-argument', `${what}: ${(cause as Error).message}`, { cause })
  }
}

function leaveOut(
  what: string,
  headers: Headers,
  names: readonly (string | undefined)[],
  instead: string,
): void {
  for (const name of names) check(!(name && headers.has(name)), what, name, instead)
}
