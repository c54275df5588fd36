import type { Token } from './record.ts'

/** A token on its way or at hand, and whose it would be. */
interface Fetched {
  readonly scope: string
  readonly profile: string
  readonly token: Promise<Token>
}

/** A one-time token that is fetched ahead of the submit that will carry it: one at a time, and for one submit. */
export class Ahead {
  #fetched: Fetched | undefined

  /** Fetches one, unless one is on its way or still good. */
  async fetch(
    scope: string,
    profile: string,
    good: (token: Token) => boolean,
    fetchOne: () => Promise<Token>,
  ): Promise<void> {
    const before = this.#fetched
    if (before?.scope === scope && before.profile === profile && good(await before.token)) return
    // Others may have come first meanwhile.
    if (this.#fetched !== before) return this.fetch(scope, profile, good, fetchOne)
    const fetched = { scope, profile, token: fetchOne() }
    this.#fetched = fetched
    try {
      await fetched.token
    } catch (error) {
      if (this.#fetched === fetched) this.#fetched = undefined
      throw error
    }
  }

  /** Hands it over to a submit; undefined where there is none, or none to be had. */
  async take(scope: string, profile: string): Promise<Token | undefined> {
    const fetched = this.#fetched
    if (fetched?.scope !== scope || fetched.profile !== profile) return undefined
    this.#fetched = undefined
    return fetched.token.catch(() => undefined)
  }
}
