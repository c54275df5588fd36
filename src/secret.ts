import type { Platform } from './platform.ts'
import type { Digest } from './sha256.ts'
import { quickly } from './sha256.ts'
import type { Records } from './store/fallback.ts'
import type { Change } from './store/store.ts'

/** Where the secret lies: no operation has this name, so no record is in its place. */
export const SECRET = ''

/** Takes it along to another scope, unless that has one: without it what is sensitive cannot be told to be the same. */
export async function moveSecret(
  records: Records,
  name: string,
  from: string,
  to: string,
): Promise<void> {
  const secret = await records.read([name, from, SECRET])
  if (!secret) return
  const put = (old: unknown): Change<void> =>
    old ? { result: undefined } : { keep: secret, result: undefined }
  await records.change([name, to, SECRET], put, { onStorageFailure: 'memory' })
}

/**
 * A digest for what is sensitive: an HMAC under a key that no script can read out of this browser, so that a stolen
 * record does not tell, by trying, what a short body was. A plain one where there is no `crypto.subtle` (plain http).
 */
export function secretDigest(
  platform: Platform,
  records: Records,
  name: string,
  scope: string,
): Digest {
  const { subtle } = platform
  if (!subtle) return quickly(platform)
  return async bytes => {
    const made = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const change = (old: unknown): Change<CryptoKey> => {
      const { secret } = (old ?? {}) as { secret?: CryptoKey }
      // A store can hold anything. Under another key nothing that is sensitive is the same: it is refused, not sent.
      const isKey = String(secret) === String(made)
      return secret && isKey ? { result: secret } : { keep: { secret: made }, result: made }
    }
    const options = { onStorageFailure: 'memory' } as const
    return subtle.sign('HMAC', await records.change([name, scope, SECRET], change, options), bytes)
  }
}
