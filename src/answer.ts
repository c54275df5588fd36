import type { Bytes } from './bytes.ts'
import { at } from './profiles/match.ts'
import type { JsonPointer, Reply } from './profiles/profile.ts'
import type { Answer } from './record.ts'

/** What an app or a person may need of a stored answer; nothing that is a credential. */
const KEPT_HEADERS = [
  'content-type',
  'content-language',
  'location',
  'link',
  'etag',
  'last-modified',
  'retry-after',
  'request-id',
  'x-request-id',
]

/** Statuses that must not carry a body. */
const EMPTY: readonly number[] = [101, 103, 204, 205, 304]

/** Status and headers, before a byte of the body was read. */
export function headOf(response: Response): Answer {
  const headers = KEPT_HEADERS.flatMap(name => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return { status: response.status, headers }
}

/** The same `Response` in every tab. */
export function toResponse(answer: Answer): Response {
  const { status, headers, body } = answer
  // Opaque: nothing can be seen of it.
  if (status === 0) return Response.error()
  const empty = !body || EMPTY.includes(status)
  // A server may say any status (999), but none outside of this range can be made.
  const made = status >= 200 && status <= 599
  const response = new Response(empty ? null : body, {
    status: made ? status : 599,
    headers: headers.map(pair => [...pair]),
  })
  return made ? response : Object.defineProperty(response, 'status', { value: status })
}

/** Whether a content type is JSON (`application/json`, `application/problem+json` and their like). */
function isJson(contentType: string | null | undefined): boolean {
  return /[/+]json\b/i.test(contentType ?? '')
}

/** What the rules see of a response. */
export function replyOf(response: Response, body: Bytes | undefined, poll?: string): Reply {
  let json: unknown
  try {
    if (body && isJson(response.headers.get('content-type')))
      json = JSON.parse(new TextDecoder().decode(body))
  } catch {
    // Called JSON and is none.
  }
  const { status, headers } = response
  // A question for a stored outcome may well be sent on to it: a redirected GET is still one.
  const redirected =
    response.redirected && !(poll && response.url.startsWith(`${new URL(poll).origin}/`))
  return { status, headers, json, bodyLost: body === undefined, redirected }
}

/** JSON by content type, else text, undefined where there is no body. Throws where it is no JSON. */
export function defaultParse({ headers, body }: Answer, data: JsonPointer = ''): unknown {
  const text = new TextDecoder().decode(body)
  if (text === '') return undefined
  const [, type] = headers.find(([name]) => name === 'content-type') ?? []
  return isJson(type) ? at(JSON.parse(text), data) : text
}
