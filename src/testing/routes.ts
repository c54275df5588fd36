import type { MechanismDefaults } from './mechanisms/catalogue.ts'
import { mechanism } from './mechanisms/catalogue.ts'
import type { Aside, Mechanism } from './mechanisms/mechanism.ts'
import type { Carrier, Matcher, Parts, Place } from './places.ts'
import { decoded, matcher, readPlace } from './places.ts'
import type { RouteOptions } from './settings.ts'
import type { Names } from './tables.ts'

/** One path, and what it does with a request that could have an effect. */
export interface Route {
  readonly path: string
  readonly options: RouteOptions
  readonly mechanisms: readonly Mechanism[]
  readonly match: Matcher
  readonly asides: readonly { readonly aside: Aside; readonly match: Matcher }[]
  /** Where a request has its names. */
  readonly names: Readonly<Partial<Record<keyof Names, Place>>>
}

export function openRoute(path: string, options: RouteOptions, defaults: MechanismDefaults): Route {
  const inputs = options.mechanisms ?? ['dedupe']
  const mechanisms = inputs.map(input => mechanism(input, path, defaults))
  const asides = mechanisms.flatMap(each => each.asides ?? [])
  const names = {
    key: { header: 'idempotency-key' },
    requestId: { header: defaults.requestIdHeader },
  }
  return {
    path,
    options,
    mechanisms,
    match: matcher(path),
    asides: asides.map(aside => ({ aside, match: matcher(aside.path) })),
    names: Object.assign(names, ...mechanisms.map(each => each.names)),
  }
}

/** What a request asks for. */
export type Target =
  | { readonly is: 'order'; readonly route: Route; readonly parts: Parts }
  | {
      readonly is: 'aside'
      readonly route: Route
      readonly parts: Parts
      readonly aside: Aside
    }
  | {
      readonly is: 'what-happened'
      readonly route: Route
      readonly parts: Parts
      readonly name: keyof Names
      readonly value: string | undefined
    }

/** Methods that place an order; a preflight must not. */
const EFFECTFUL: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE']

export function targetOf(routes: readonly Route[], method: string, url: URL): Target | undefined {
  const { pathname } = url
  for (const route of routes) {
    const parts = EFFECTFUL.includes(method) ? route.match(pathname) : undefined
    if (parts) return { is: 'order', route, parts }
  }
  for (const route of routes) {
    for (const { aside, match } of route.asides) {
      const parts = aside.methods.includes(method) ? match(pathname) : undefined
      if (parts) return { is: 'aside', route, parts, aside }
    }
  }
  return method === 'GET' ? questionOf(routes, url) : undefined
}

/** How a question names an operation: `<route>/by-number/4711`, or `<route>?number=4711`. */
const NAMED: Readonly<Record<string, keyof Names>> = {
  key: 'key',
  token: 'token',
  number: 'businessNumber',
  'request-id': 'requestId',
}

function questionOf(routes: readonly Route[], url: URL): Target | undefined {
  const [, path = url.pathname, by, named] = BY_NAME.exec(url.pathname) ?? []
  const asked = Object.keys(NAMED).find(name => url.searchParams.has(name))
  const name = NAMED[by ?? asked ?? 'key'] ?? 'key'
  const value = named === undefined ? url.searchParams.get(asked ?? 'key') : decoded(named)
  for (const route of routes) {
    const parts = route.match(path)
    if (parts) return { is: 'what-happened', route, parts, name, value: value || undefined }
  }
  return undefined
}

const BY_NAME: RegExp = new RegExp(`^(.+)/by-(${Object.keys(NAMED).join('|')})/([^/]+)$`)

/** Whether anything is to be had under this path, by whatever method. */
export function isUnderRoute(routes: readonly Route[], pathname: string): boolean {
  const [, path = pathname] = BY_NAME.exec(pathname) ?? []
  return routes.some(
    ({ match, asides }) => match(path) || asides.some(aside => aside.match(pathname)),
  )
}

/** All paths under which something is to be had, `:name` for a part that varies. */
export function pathsOf(routes: readonly Route[]): readonly string[] {
  const paths = routes.flatMap(({ path, asides }) => [
    path,
    ...Object.keys(NAMED).map(name => `${path}/by-${name}/:value`),
    ...asides.map(({ aside }) => aside.path),
  ])
  return [...new Set(paths)]
}

export function namesOf(route: Route, carrier: Carrier): Names {
  const read = (name: keyof Names) => {
    const place = route.names[name]
    return place && readPlace(place, carrier)
  }
  return {
    key: read('key'),
    token: read('token'),
    businessNumber: read('businessNumber'),
    requestId: read('requestId'),
  }
}
