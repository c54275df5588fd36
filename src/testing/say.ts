import { json } from './answers.ts'
import type { Answer } from './exchange.ts'

/** What a server has to say of a request. In answers it is the `code`, unless the route has one of its own. */
export type Word =
  /** It happened, now or before. */
  | 'done'
  /** The business says no. */
  | 'failed'
  /** Taken on, and to be had elsewhere later. */
  | 'accepted'
  /** Another delivery is being worked on. */
  | 'processing'
  /** It came before with another body. */
  | 'mismatch'
  /** Key, token, number or version are not there. */
  | 'missing'
  /** Do not submit again: it came before, and that is all that is said. */
  | 'duplicate'
  | 'token-used'
  | 'token-expired'
  | 'token-unknown'
  /** Somebody else changed it meanwhile. */
  | 'changed'
  /** It is in a state that this cannot be done in any more. */
  | 'final'
  | 'not-found'

/** How one word is said, where not as usual. */
export interface Saying {
  /** The HTTP status. @default by the word */
  readonly status?: number
  /** The `code` of the body. @default the word */
  readonly code?: string | number
  /** The text for people. @default by the word */
  readonly message?: string
  /**
   * Where it says how long to wait. `header`: `Retry-After`, in seconds. `body`: `retryAfterMs`.
   * @default 'header', in an envelope 'body'
   */
  readonly retryAfter?: 'header' | 'body' | 'nowhere'
}

/** How a route talks. */
export interface Style {
  /**
   * `plain`: a status, with problem details (RFC 9457) where it is an error. `envelope`: always status 200 and
   * `{ code, message, data, retryAfterMs? }`.
   * @default 'plain'
   */
  readonly answers?: 'plain' | 'envelope'
  /** Single words said in another way: `{ duplicate: { code: 500 } }`, `{ processing: { status: 423 } }`. */
  readonly says?: Readonly<Partial<Record<Word, Saying>>>
}

/** Something to be said, before it is known how. */
export interface Finding {
  readonly word: Word
  /** What it is about, as a title names it. @default 'request' */
  readonly subject?: string
  readonly detail?: string
  /** A status that fits better than that of the word. */
  readonly status?: number
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly retryAfterMs?: number
}

interface Usual {
  readonly status: number
  readonly slug: string
  readonly title: (subject: string) => string
  readonly detail: string
}

// Titles of keys are the examples of draft-ietf-httpapi-idempotency-key-header-07, section 2.7; it names no types.
const USUAL: { readonly [word in Word]: Usual } = {
  done: { status: 201, slug: 'done', title: () => 'OK', detail: '' },
  failed: {
    status: 422,
    slug: 'invalid',
    title: subject => `Invalid ${subject}`,
    detail: 'It was not accepted.',
  },
  accepted: {
    status: 202,
    slug: 'accepted',
    title: () => 'Accepted',
    detail: 'It is being worked on.',
  },
  processing: {
    status: 409,
    slug: 'in-use',
    title: subject => `A request is outstanding for this ${subject}`,
    detail: 'A request with it is being processed. Ask again later.',
  },
  mismatch: {
    status: 422,
    slug: 'mismatch',
    title: subject => `${subject} is already used`,
    detail: 'It came before with another request, and must not be used again with another body.',
  },
  missing: {
    status: 400,
    slug: 'missing',
    title: subject => `${subject} is missing`,
    detail: 'This operation is idempotent and requires it.',
  },
  duplicate: {
    status: 409,
    slug: 'duplicate',
    title: () => 'Do not submit again',
    detail: 'This was submitted before, or waited for too long.',
  },
  'token-used': {
    status: 409,
    slug: 'used',
    title: () => 'Do not submit again',
    detail: 'The token was used before.',
  },
  'token-expired': {
    status: 409,
    slug: 'expired',
    title: () => 'The token has expired',
    detail: 'It was never used. Fetch another one.',
  },
  'token-unknown': {
    status: 409,
    slug: 'unknown',
    title: () => 'The token was not issued here',
    detail: 'Fetch another one.',
  },
  changed: {
    status: 409,
    slug: 'changed',
    title: subject => `The ${subject} has changed`,
    detail: 'Its state or version is not the expected one. Look at it again before you decide.',
  },
  final: {
    status: 422,
    slug: 'final',
    title: subject => `The ${subject} is in a state that does not allow this`,
    detail: 'Nothing was changed.',
  },
  'not-found': {
    status: 404,
    slug: 'not-found',
    title: subject => `No such ${subject}`,
    detail: 'There is nothing under this name.',
  },
}

/** Puts a finding into the words of a route. */
export function say(style: Style, finding: Finding): Answer {
  const { word, subject = 'request', data, retryAfterMs } = finding
  const usual = USUAL[word]
  const own = style.says?.[word] ?? {}
  const enveloped = style.answers === 'envelope'
  const status = own.status ?? (enveloped ? 200 : (finding.status ?? usual.status))
  const code = own.code ?? word
  const title = own.message ?? usual.title(subject)
  const where = own.retryAfter ?? (enveloped ? 'body' : 'header')
  const wait = where === 'body' && retryAfterMs !== undefined && { retryAfterMs }
  const headers = {
    ...finding.headers,
    ...(where === 'header' && retryAfterMs !== undefined && retryAfter(retryAfterMs)),
  }

  if (!enveloped && word === 'done') return json(status, data ?? {}, headers)
  if (enveloped || status < 300) {
    const message = own.message ?? finding.detail ?? title
    return json(status, { code, message, data: data ?? null, ...wait }, headers)
  }
  const slug = `${subject.toLowerCase().replaceAll(' ', '-')}-${usual.slug}`
  const type = `https://example.com/problems/${slug}`
  const detail = finding.detail ?? usual.detail
  return json(
    status,
    { type, title, status, detail, code, ...(data !== undefined && { data }), ...wait },
    { 'content-type': 'application/problem+json', ...headers },
  )
}

/** Whole seconds, and never zero: who asks again at once would be told the same. */
function retryAfter(ms: number): Readonly<Record<string, string>> {
  return { 'retry-after': String(Math.max(1, Math.ceil(ms / 1_000))) }
}
