import { at } from './profiles/match.ts'
import type { Reply, ServerProfile } from './profiles/profile.ts'

/**
 * How long the server asks to wait, in whole milliseconds from 0; undefined where it says nothing that can be
 * understood. Not cut short: 10^9 seconds are 10^9 seconds, and the caller ends the turn.
 *
 * @param now Wall clock in milliseconds. A date is read against the response's own `Date` where that can be seen (other
 * origins have to expose it), because the server's clock and this one need not agree.
 */
export function retryAfterMs(
  reply: Reply,
  pace: ServerProfile['pace'],
  now: number,
): number | undefined {
  for (const source of pace?.retryAfter ?? [{ header: 'retry-after' }]) {
    const ms =
      'header' in source
        ? headerMs(reply.headers, source.header, now)
        : seconds(at(reply.json, source.body)) * (source.unit === 's' ? 1_000 : 1)
    // NaN is not understood. The minimum keeps a row of 400 digits from being Infinity.
    if (ms >= 0) return Math.ceil(Math.min(ms, Number.MAX_SAFE_INTEGER))
  }
  return undefined
}

function headerMs(headers: Headers, name: string, now: number): number {
  const value = headers.get(name)
  if (value === null) return Number.NaN
  const date = httpDate(value)
  const servedAt = httpDate(headers.get('date'))
  return date >= 0 ? Math.max(0, date - (servedAt >= 0 ? servedAt : now)) : seconds(value) * 1_000
}

/** Digits only in a text, as RFC 9110 has it: `Number` takes `''`, `' '` and `1e3` as well. */
const seconds = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
    ? Number(value)
    : Number.NaN

/** The one form that a server may still send (RFC 9110, 5.6.7). `Date.parse` alone takes `1.5` for a day in 2001. */
function httpDate(value: string | null): number {
  const date = new Date(value ?? Number.NaN)
  return date.toUTCString() === value ? Number(date) : Number.NaN
}
