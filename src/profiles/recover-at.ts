import { replyOf } from '../answer.ts'
import { at } from './match.ts'
import type { RecoverContext, ServerProfile } from './profile.ts'
import { readReply } from './read.ts'

/**
 * How to ask what became of an operation: an address, in which `{key}`, `{token}` and `{operation}` stand for its
 * own, or a function of your own. The address is asked with GET: what the profile calls a success has happened, what it
 * calls in progress or pending is asked again, a 404 with JSON means not applied (by now), everything else says nothing.
 */
export type RecoverAt = string | NonNullable<ServerProfile['recover']>

/** The profile, with its question. */
export function recoverableAt(how: RecoverAt | undefined, profile: ServerProfile): ServerProfile {
  if (typeof how !== 'string') return how ? { ...profile, recover: how } : profile
  return {
    ...profile,
    async recover(context, ask) {
      const url = fill(how, context)
      // A part is missing: `orders/` would be found, and be a list of all orders.
      if (url.includes('{')) return { is: 'unknown' }
      const response = await ask(url)
      const reply = replyOf(response, new Uint8Array(await response.arrayBuffer()))
      // Of JSON, because the page of a router or a proxy knows nothing of operations.
      if (reply.status === 404 && reply.json !== undefined) return { is: 'not-applied' }
      switch (readReply(profile, reply, { attempts: 1, ambiguous: false }).is) {
        case 'success':
          return { is: 'succeeded', data: at(reply.json, profile.data ?? '') }
        case 'in-progress':
        case 'pending':
          return { is: 'in-progress' }
        default:
          return { is: 'unknown' }
      }
    },
  }
}

/** What is not known stays as it is. */
const fill = (template: string, context: RecoverContext): string =>
  template.replace(/\{(key|token|operation)\}/g, (unfilled, name: 'key' | 'token' | 'operation') =>
    context[name] ? encodeURIComponent(context[name]) : unfilled,
  )
