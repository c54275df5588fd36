import ky from 'ky'
import type { Client } from 'sendonce'
import { createClient, idempotencyKey } from 'sendonce'

const scope = () => localStorage.getItem('user')

/** One per API. The names keep their records, locks and channels apart. */
export const shop: Client = createClient({
  name: 'shop',
  scope,
  ky: ky.create({ baseUrl: 'https://shop.example/v2/', credentials: 'include' }),
})

export const billing: Client = createClient({
  name: 'billing',
  scope,
  profile: idempotencyKey({ quoted: true, ttlMs: 7 * 86_400_000, failureKey: 'keep' }),
  onStorageFailure: 'refuse',
})

/** A bare fetch with ky's shape does too. */
export const plain: Client = createClient({
  name: 'plain',
  scope,
  ky: (url, { fetch, method, headers, body, signal }) =>
    fetch(url, { method, headers, body: body ?? null, signal, credentials: 'include' }),
})
