import { idempotencyKey } from '../../src/profiles/idempotency-key.ts'
import type { ServerProfile } from '../../src/profiles/profile.ts'
import type { Server } from '../support/world/network.ts'
import type { ShopOptions } from './shop.ts'
import { REQUEST_ID } from './shop.ts'

const DAY_MS = 86_400_000

/** Says of a repeat that it is one, and keeps no answer. */
const duplicates =
  (server: Server): Server =>
  async request => {
    const response = await server(request)
    return response.headers.get('idempotent-replayed')
      ? Response.json({ code: 'DUPLICATE' }, { status: 409 })
      : response
  }

const custom = (profile: Omit<ServerProfile, 'ttlMs' | 'failureKey'>): ServerProfile => ({
  ttlMs: DAY_MS,
  failureKey: 'rotate',
  ...profile,
})

const { key } = idempotencyKey()
const rules = [{ status: 409, body: { '/code': 'DUPLICATE' }, then: { is: 'duplicate' } }] as const

/** A server for each promise that a server can make, and the profile that knows it. */
export const GUARANTEES: Readonly<Record<ServerProfile['guarantee'], ShopOptions>> = {
  replay: {},
  reject: {
    profile: custom({ id: 'reject', guarantee: 'reject', key, rules }),
    behind: duplicates,
  },
  // Remembers for a moment only: whoever sends again later orders again.
  window: {
    profile: custom({ id: 'window', guarantee: 'window', key, rules }),
    behind: duplicates,
    keyTtlMs: 100,
  },
  none: {
    profile: custom({ id: 'none', guarantee: 'none', key: null, requestId: REQUEST_ID, rules: [] }),
    path: '/api/plain/orders',
  },
}
