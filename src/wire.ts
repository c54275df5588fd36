import { pathOf } from './address.ts'
import { concat } from './body.ts'
import type { Bytes } from './bytes.ts'
import { wireKey } from './key.ts'
import type { Place, ServerProfile } from './profiles/profile.ts'
import type { Gap, OperationRecord } from './record.ts'

/** One request as it leaves the page. */
export interface Wire {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly bytes: Bytes | undefined
}

/** What an attempt sends: what was frozen, with key and token in their places; or the question for a stored outcome. */
export function wireOf(
  record: OperationRecord,
  profile: ServerProfile,
  bytes: Bytes | undefined,
): Wire {
  const { key, place, poll, token, request, firstSentAt = record.startedAt } = record
  const id = profile.requestId && { [profile.requestId]: key }
  if (poll) return { method: 'GET', url: poll, headers: { ...id }, bytes: undefined }
  const put = [
    ...(place ? [[place, key] as const] : []),
    ...(token && profile.token ? [[profile.token.place, token.value] as const] : []),
  ]
  return {
    method: request.method,
    url: put.reduce((url, [at, value]) => intoUrl(url, at, value), request.url),
    headers: {
      ...request.headers,
      ...id,
      ...(place && profile.key?.companions?.({ key, firstSentAt })),
      ...Object.fromEntries(
        put.flatMap(([at, value]) => ('header' in at ? [[at.header, wireKey(value, at)]] : [])),
      ),
    },
    bytes: bytes && fill(bytes, request.gaps ?? [], { key, token: token?.value ?? '' }),
  }
}

function intoUrl(url: string, place: Place, value: string): string {
  if ('path' in place) {
    const path = pathOf(url)
    // Never into the origin: a key is no place to send to.
    return (
      url.slice(0, url.length - path.length) +
      path.replaceAll(place.path, encodeURIComponent(value))
    )
  }
  if (!('query' in place)) return url
  const parameter = new URLSearchParams({ [place.query]: value })
  return `${url}${url.includes('?') ? '&' : '?'}${parameter}`
}

function fill(
  template: Bytes,
  gaps: readonly Gap[],
  values: Readonly<Record<Gap['of'], string>>,
): Bytes {
  let from = 0
  const parts = gaps.flatMap(({ at, of }) => {
    const before = template.subarray(from, at)
    from = at
    return [before, JSON.stringify(values[of])]
  })
  return parts.length > 0 ? concat([...parts, template.subarray(from)]) : template
}
