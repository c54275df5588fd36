import type { RecordKey } from '../../../src/store/store.ts'
import type { Order } from '../../../src/testing/index.ts'
import type { Effect as Known } from '../../support/evidence.ts'
import type { Page } from '../../support/world/page.ts'

/** What was really done. */
export type Effect = Known & Pick<Order, 'item' | 'principal' | 'operation'>

/** The gap of a double click. */
const JOIN_MS = 1_000

interface Place {
  readonly at: RecordKey
  /** By key: which pages were told of its success. */
  readonly told: Map<string, Map<string, { readonly at: number; readonly ms: number }>>
  /** Keys that had come to an end, and somebody who submitted again knew it. */
  readonly ends: Set<string>
}

/**
 * What people meant, seen from outside: of each body one order for each operation, and one more for each whose end they
 * knew of when they submitted again.
 */
export class Intents {
  readonly #places = new Map<string, Place>()
  readonly #shown = new Map<string, number>()
  #events = 0

  /** A person comes to look at the page. */
  shown(page: Page): void {
    this.#shown.set(page.name, ++this.#events)
  }

  /** A page was told of a success. */
  told(page: Page, at: RecordKey, key: string): void {
    const { told } = this.#place(at)
    const pages = told.get(key) ?? new Map()
    told.set(key, pages)
    if (pages.has(page.name)) return
    pages.set(page.name, { at: ++this.#events, ms: page.platform.monotonic() })
  }

  submitted(page: Page, at: RecordKey): void {
    const shown = this.#shown.get(page.name) ?? 0
    const now = page.platform.monotonic()
    const { told, ends } = this.#place(at)
    for (const [key, pages] of told) {
      const here = pages.get(page.name)
      const before = [...pages.values()].some(other => other.at < shown)
      if (before || (here && now - here.ms >= JOIN_MS)) ends.add(key)
    }
  }

  /** What was done again although nobody knew that it was done. `over`: the keys that the app gave up, or time ended. */
  excess(effects: readonly Effect[], over: ReadonlySet<string>): string | undefined {
    for (const { at, ends } of this.#places.values()) {
      const [, scope, operation] = at
      const mine = effects.filter(each => each.principal === scope && each.operation === operation)
      if (mine.length < 2) continue
      const known = new Set<string | undefined>([...ends, ...over])
      const open = mine.filter(({ key }) => !known.has(key))
      // Another body is another order.
      const twice = open.find(
        (one, index) => open.findIndex(({ item }) => item === one.item) < index,
      )
      if (twice) return `${twice.id} is another order of ${scope}'s ${operation} ${twice.item}`
    }
    return undefined
  }

  #place(at: RecordKey): Place {
    const id = JSON.stringify(at)
    const place = this.#places.get(id) ?? { at, told: new Map(), ends: new Set() }
    this.#places.set(id, place)
    return place
  }
}
