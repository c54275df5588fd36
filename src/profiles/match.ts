import type { JsonPointer, Reply, Rule, Verdict } from './profile.ts'

/** The steps of a JSON pointer, unescaped: `/a~1b/0` is `a/b`, `0`. */
export const steps = (pointer: JsonPointer): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/**
 * A member of a JSON value. Only what the document itself says: nothing inherited (`constructor`), and no length of an
 * array, which is its own but not enumerable.
 */
export const member = (json: unknown, step: string): unknown =>
  typeof json === 'object' && json && Object.prototype.propertyIsEnumerable.call(json, step)
    ? (json as Readonly<Record<string, unknown>>)[step]
    : undefined

/** What a JSON pointer (RFC 6901) points at; undefined where there is nothing. */
export const at = (json: unknown, pointer: JsonPointer): unknown =>
  steps(pointer).reduce(member, json)

/** The verdict of the first rule whose conditions all hold. */
export const matchRule = (rules: readonly Rule[], reply: Reply): Verdict | undefined =>
  rules.find(
    ({ status, header = {}, body = {} }) =>
      statusMatches(status, reply.status) &&
      Object.entries(header).every(([name, want]) => matches(want, reply.headers.get(name))) &&
      Object.entries(body).every(([pointer, want]) =>
        matches(want, at(reply.json, pointer as JsonPointer)),
      ),
  )?.then

const statusMatches = (want: Rule['status'], is: number): boolean =>
  want === undefined ||
  (typeof want === 'number'
    ? want === is
    : 'from' in want
      ? want.from <= is && is <= want.to
      : want.includes(is))

/** `search`, because `test` remembers its place between calls when the pattern is global. */
const matches = (want: unknown, is: unknown): boolean =>
  want instanceof RegExp ? typeof is === 'string' && is.search(want) >= 0 : want === is
