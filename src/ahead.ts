import { SendonceError } from './errors.ts'
import type { Host } from './host.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { Token } from './record.ts'
import { fetchToken } from './token.ts'
import { callOf } from './turn.ts'

/** The one-time token of the client's profile that is fetched ahead of the submit that will carry it: one at a time. */
export class Ahead {
  #fetched: { readonly scope: string; readonly token: Promise<Token> } | undefined

  /** Fetches one for whoever is signed in, unless one is on its way or still good. */
  async fetch(host: Host, operation: string): Promise<void> {
    const { defaultProfile, platform } = host
    const scope = host.scope()
    const rules = defaultProfile.token
    if (!rules || scope === null) return
    const before = this.#fetched
    if (before?.scope === scope) {
      const { at } = await before.token
      if (platform.now() < at + rules.lifetimeMs) return
    }
    // Others may have come first meanwhile.
    if (this.#fetched !== before) return this.fetch(host, operation)
    const fetchOne = async () => {
      const turn = { scope, signal: new AbortController().signal }
      const how = callOf(host, turn, host.policy.attemptTimeoutMs)
      const { token, cause } = await fetchToken(platform, rules, how)
      if (!token) {
        throw new SendonceError('not-sent', `"${operation}" got no token: ${String(cause)}`, {
          cause,
        })
      }
      host.emit({ type: 'token-fetched' }, operation)
      return token
    }
    const fetched = { scope, token: fetchOne() }
    this.#fetched = fetched
    try {
      await fetched.token
    } catch (error) {
      if (this.#fetched === fetched) this.#fetched = undefined
      throw error
    }
  }

  /** Hands it over to a submit; undefined where there is none, or none to be had. */
  async take(host: Host, scope: string, profile: ServerProfile): Promise<Token | undefined> {
    const fetched = this.#fetched
    if (fetched?.scope !== scope || profile.id !== host.defaultProfile.id) return undefined
    this.#fetched = undefined
    return fetched.token.catch(() => undefined)
  }
}
