import type { ClaimContext } from './claim.ts'
import type { Platform } from './platform.ts'
import { isThere } from './presence.ts'

type Learnt = Pick<ClaimContext, 'gone' | 'outwaited' | 'hurried' | 'met'>

/** What a turn learns while it waits for others, or for its time; every claim of it is told. */
export class Patience implements Learnt {
  readonly #platform: Platform
  #watched: { readonly tag: string; readonly since: number } | undefined
  /** The state of the record whose owner was seen to be gone. */
  gone: string | undefined
  /** The state of the record that was waited for as long as can be asked. */
  outwaited: string | undefined
  /** The network returned, or the person looked. */
  hurried = false
  /** The key of an unsettled record that this turn has met. */
  met: string | undefined

  constructor(platform: Platform) {
    this.#platform = platform
  }

  /** Whether a record has been as it is for so long, by this page's own clock: it is waited for no longer. */
  outwaits(tag: string, ms: number): boolean {
    const now = this.#platform.monotonic()
    if (this.#watched?.tag !== tag) this.#watched = { tag, since: now }
    if (now - this.#watched.since < ms) return false
    this.outwaited = tag
    return true
  }

  /** Whether the owner of a record turns out to be gone, which was not known yet. */
  async losesSight(owner: string, tag: string): Promise<boolean> {
    if (tag === this.gone || (await isThere(this.#platform, owner))) return false
    this.gone = tag
    return true
  }
}
