import type { Fields } from './settings.ts'

/** A JSON pointer (RFC 6901), such as `/order_no`. */
export type Pointer = `/${string}`

/** Where a request carries something: a `header` or a parameter of the `query` by its name, or: */
export type Place =
  | { readonly header: string }
  | { readonly query: string }
  /** A member of the JSON `body`, or a field of the form. */
  | { readonly body: Pointer }
  /** A part of the route's `path` that varies: `id` of `/api/orders/:id/pay`. */
  | { readonly path: string }

/** A request as places are looked up in it. */
export interface Carrier {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly url: URL
  /** What stands in the parts of the path that vary. */
  readonly parts: Parts
  /** Undefined as long as the body is not read. */
  readonly fields?: Fields
}

export type Parts = Readonly<Record<string, string>>

/** What stands there as text; undefined for nothing, and for nothing but an empty text. */
export function readPlace(place: Place, carrier: Carrier): string | undefined {
  if ('header' in place) return carrier.headers[place.header.toLowerCase()] || undefined
  if ('query' in place) return carrier.url.searchParams.get(place.query) || undefined
  if ('path' in place) return carrier.parts[place.path] || undefined
  const value = pointed(carrier.fields, place.body)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** What a pointer points at; undefined where there is nothing. */
export function pointed(value: unknown, pointer: Pointer): unknown {
  const steps = pointer.slice(1).split('/')
  return steps
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (part, step) =>
        typeof part === 'object' && part !== null && Object.hasOwn(part, step)
          ? Reflect.get(part, step)
          : undefined,
      value,
    )
}

/** Reads the parts of a path that vary; undefined: it is another path. */
export type Matcher = (pathname: string) => Parts | undefined

/** `:name` stands for one part between slashes. */
export function matcher(path: string): Matcher {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const pattern = path
    .split(/:\w+/)
    .map(text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('([^/]+)')
  const whole = new RegExp(`^${pattern}$`)
  return pathname => {
    const values = whole.exec(pathname)?.slice(1)
    return (
      values && Object.fromEntries(names.map((name, index) => [name, decoded(values[index] ?? '')]))
    )
  }
}

/** What cannot be decoded stands for itself. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
