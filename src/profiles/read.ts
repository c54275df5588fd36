import { webAddress } from '../address.ts'
import { at, matchRule } from './match.ts'
import type { History, JsonPointer, Reply, Rule, ServerProfile, Verdict } from './profile.ts'
import { SUCCESSFUL } from './sign.ts'
import { isVerdict } from './verdict.ts'

const HTML = { 'content-type': /^(?:text\/html|application\/xhtml)/i }

/**
 * A 2xx that need not be the server's: a captive portal or a sign-in page (HTML where data was asked for), or one that
 * promises nothing (202). A profile whose rules tell a success apart puts these before them.
 */
export const NOT_OURS: readonly Rule[] = [
  { status: SUCCESSFUL, header: HTML, then: { is: 'unknown' } },
  { status: 202, then: { is: 'unknown' } },
]

/**
 * What a status means where a profile has no rule for it. The front is what stands before the idempotency layer:
 * gateway, router, login, limiter. Its word is no word about an earlier delivery.
 */
const BY_STATUS: readonly Rule[] = [
  ...NOT_OURS,
  { status: SUCCESSFUL, then: { is: 'success' } },
  // A limiter refuses before anything runs. 408, 425 and 503 promise no such thing.
  { status: 429, then: { is: 'not-executed', because: 'rate-limited' } },
  { status: [408, 425], then: { is: 'unknown' } },
  // Locked is as ambiguous as conflict: our own other delivery holds the lock, or the business does.
  { status: [409, 423], then: { is: 'conflict' } },
  {
    status: [401, 403, 404, 405, 407, 413, 414, 415, 419, 431],
    then: { is: 'failure', said: 'front' },
  },
  { status: { from: 400, to: 499 }, header: HTML, then: { is: 'failure', said: 'front' } },
  { status: { from: 400, to: 499 }, then: { is: 'failure', said: 'origin' } },
]

/**
 * What a reply means: the profile's `classify`, else the first of its rules that matches, else the status. No rule is
 * asked about a reply of status 0 (opaque, nothing can be seen) or a redirected one: a redirect may have turned the POST
 * into a GET of another page, whose success or refusal says nothing about what was sent. Only `classify` can know a
 * redirect. If it throws nothing is known.
 */
export function readReply(profile: ServerProfile, reply: Reply, history: History): Verdict {
  const unknown: Verdict = { is: 'unknown' }
  if (reply.status === 0) return unknown
  try {
    const verdict = profile.classify?.(reply, history)
    if (verdict) return isVerdict(verdict) ? verdict : unknown
  } catch {
    return unknown
  }
  if (reply.redirected) return unknown
  if (reply.bodyLost && hangsOnBody(profile.rules, reply)) return unknown
  return matchRule(profile.rules, reply) ?? matchRule(BY_STATUS, reply) ?? unknown
}

/** Whether the body that was lost might have said no, or something else that is no success. */
const hangsOnBody = (rules: readonly Rule[], reply: Reply): boolean =>
  rules.some(({ body, ...rule }) => body && rule.then.is !== 'success' && matchRule([rule], reply))

/** What the server says to sending again, where it says so by a header of its own. */
export function retryOf(reply: Reply, pace: ServerProfile['pace']): boolean | undefined {
  const said = pace?.shouldRetryHeader && reply.headers.get(pace.shouldRetryHeader)?.toLowerCase()
  return said === 'true' || said === 'false' ? said === 'true' : undefined
}

/** Where a pending outcome is to be had; undefined where the reply does not say, or names another origin. */
export function pollOf(reply: Reply, where: string, base: string): string | undefined {
  try {
    // Throws where a profile's `classify` names no header.
    const said = where.startsWith('/')
      ? at(reply.json, where as JsonPointer)
      : reply.headers.get(where)
    // Nothing is not the address of this page, though it resolves to it.
    if (typeof said !== 'string' || said === '') return undefined
    const address = webAddress(said, base)
    return address?.origin === new URL(base).origin ? address.href : undefined
  } catch {
    return undefined
  }
}
