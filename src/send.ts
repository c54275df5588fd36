import defaultKy from 'ky'
import type { Bytes } from './bytes.ts'
import { deferred } from './deferred.ts'
import { listen } from './listen.ts'
import type { Platform } from './platform.ts'

/** What is called of ky; a bare `fetch` with this shape does too. */
export type KyLike = (url: string | URL, options: KyLikeOptions) => Promise<Response>

/** What every call of ky is given. */
export interface KyLikeOptions {
  /** In capitals. */
  method: string
  /** Those of the request, of the profile and the guards. */
  headers: Record<string, string>
  /** Bytes, which leave 2 ms sooner than a Blob of them (measured in Chromium). */
  body?: Bytes
  /** Aborts when time is up, or nobody waits any more. */
  signal: AbortSignal
  timeout: false
  /** Off; with `hooksMayRetry` a `limit` of one for the `methods` of this request. */
  retry: number | { limit: number; methods: string[] }
  /** Must be what sends: its last synchronous step looks once more whether sending is still allowed. */
  fetch: typeof fetch
  /** `false`: every status is an answer. */
  throwHttpErrors: boolean
  cache?: 'no-store'
}

/** A small body comes with its headers: only one that does not is worth a write of its own. */
const HEAD_GRACE_MS = 20

const HOOK_HINT =
  'sendonce: an afterResponse hook of your ky failed. If it sends again, create the client with `hooksMayRetry: true`.'

const OWN_FETCH_HINT =
  'sendonce: your `ky` failed without calling the `fetch` that it was given: nobody knows whether anything was sent.'

/** Have called the `fetch` that they were given. Others may have one of their own. */
const obedient = new WeakSet<KyLike>()

/** Why nothing left. */
export type Unsent =
  | 'stopped'
  /** The lease or the key's lifetime is over. */
  | 'expired'
  | 'scope'
  /** The address belongs to another origin than the one of the first attempt. */
  | 'origin'
  | 'timeout'
  /** A hook of the app, or ky itself, threw. */
  | 'hook'

/** What came of one attempt. */
export type Sent =
  | { readonly is: 'unsent'; readonly because: Unsent; readonly cause: unknown }
  | {
      readonly is: 'unanswered'
      readonly because: 'network' | 'timeout' | 'aborted'
      readonly cause: unknown
    }
  /** `body` is undefined where it was cut off. */
  | {
      readonly is: 'answered'
      readonly response: Response
      /** What answered, after redirects. */
      readonly url: string
      readonly body: Bytes | undefined
    }

/** What a request is made with, whatever it is. */
export interface Call {
  readonly ky: KyLike | undefined
  readonly hooksMayRetry: boolean
  /** From now to the last byte of the answer, hooks included. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Looks, synchronously and last of all, whether sending is still allowed: why not, or undefined. */
  readonly look: (origin: string) => Unsent | undefined
}

export interface SendOptions extends Call {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly bytes: Bytes | undefined
  readonly cache?: 'no-store'
  /** It leaves, for this origin. */
  readonly onSent?: (origin: string) => void
  /** Status and headers are here; the body is not, for longer than it usually takes, or is lost. May be said twice. */
  readonly onHead?: (response: Response) => void
}

/** One attempt: one call of ky, with ky's own retries off. Never rejects. */
export async function send(platform: Platform, options: SendOptions): Promise<Sent> {
  const { signal, look, hooksMayRetry, bytes, headers, cache } = options
  const ky = options.ky ?? (defaultKy as unknown as KyLike)
  const controller = new AbortController()
  let over: 'timeout' | 'aborted' | undefined
  let unsent: Unsent | undefined
  let sent = false
  let last: Response | undefined
  let asked = ''

  const ended = deferred<never>()
  ended.promise.catch(() => {})
  const end = (why: 'timeout' | 'aborted') => {
    over ??= why
    const reason = new DOMException(`The attempt was ended (${why}).`, 'AbortError')
    ended.reject(reason)
    controller.abort(reason)
  }
  if (signal.aborted) end('aborted')
  const stopListening = listen(signal, 'abort', () => end('aborted'))
  const stopTimer = platform.timer(options.timeoutMs, () => end('timeout'))

  // Inside the `fetch` that ky calls, and so after all hooks, however long they took (rule 6).
  const lookAndFetch: typeof fetch = async (input, init) => {
    obedient.add(ky)
    const url = input instanceof Request ? input.url : String(input)
    if ((input instanceof Request ? input.mode : init?.mode) === 'no-cors') {
      throw new TypeError('mode is no-cors, whose answer can never be read, leave it out')
    }
    const { origin, href } = new URL(url, globalThis.location?.href)
    unsent = over ? (over === 'timeout' ? over : 'stopped') : look(origin)
    if (unsent) throw new DOMException(`Not sent (${unsent}).`, 'AbortError')
    const answer = platform.fetch(input, init)
    const isFirst = !sent
    sent = true
    // Now, and not before: what others may know must not hold up the first byte.
    if (isFirst) options.onSent?.(origin)
    last = await answer
    asked = href
    return last
  }

  try {
    const response = await Promise.race([
      ky(options.url, {
        method: options.method,
        headers,
        ...(bytes && { body: bytes }),
        ...(cache && { cache }),
        signal: controller.signal,
        timeout: false,
        retry: hooksMayRetry ? { limit: 1, methods: [] } : 0,
        fetch: lookAndFetch,
        throwHttpErrors: false,
      }),
      ended.promise,
    ])
    const stopHead = platform.timer(HEAD_GRACE_MS, () => options.onHead?.(response))
    const body = await Promise.race([response.arrayBuffer(), ended.promise]).then(
      buffer => new Uint8Array(buffer),
      () => undefined,
    )
    stopHead()
    if (!body) options.onHead?.(response)
    return { is: 'answered', response, url: response.url || asked, body }
  } catch (cause) {
    // Every ky has this.
    if (!sent && !obedient.has(ky) && !('extend' in ky)) console.warn(OWN_FETCH_HINT)
    else if (!sent) {
      const because = unsent ?? (over === 'timeout' ? over : over ? 'stopped' : 'hook')
      return { is: 'unsent', because, cause }
    }
    if (last && !over) {
      if (!hooksMayRetry) console.warn(HOOK_HINT)
      // A hook asked for another try that ky was not allowed: the answer that it saw is the answer.
      if ((cause as Error | undefined)?.name === 'ForceRetryError') {
        return { is: 'answered', response: last, url: last.url || asked, body: undefined }
      }
      // A hook threw after the answer: what happened has happened.
      options.onHead?.(last)
    }
    return { is: 'unanswered', because: over ?? 'network', cause }
  } finally {
    stopTimer()
    stopListening()
  }
}
