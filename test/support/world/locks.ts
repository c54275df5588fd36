import type { Release } from '../../../src/platform.ts'
import type { Owner } from './agenda.ts'

export interface Hold {
  readonly held: boolean
  readonly release: Release
}

/** One origin's LockManager, as far as browsers agree: exclusive, asked with `ifAvailable`, not re-entrant. */
export class Locks {
  readonly #holders = new Map<string, { readonly owner: Owner }>()

  take(name: string, owner: Owner): Hold | undefined {
    if (name.startsWith('-')) throw new DOMException(`"${name}" begins with -`, 'NotSupportedError')
    if (this.#holders.has(name)) return undefined
    const mine = { owner }
    this.#holders.set(name, mine)
    const isHeld = () => this.#holders.get(name) === mine
    return {
      get held() {
        return isHeld()
      },
      release: () => {
        if (isHeld()) this.#holders.delete(name)
      },
    }
  }

  names(): ReadonlySet<string> {
    return new Set(this.#holders.keys())
  }

  releaseAll(owner: Owner): void {
    for (const [name, holder] of this.#holders) {
      if (holder.owner === owner) this.#holders.delete(name)
    }
  }
}
