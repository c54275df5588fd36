import type { Found } from '../../src/record.ts'
import { parseRecord } from '../../src/record.ts'
import type { RecordKey } from '../../src/store/store.ts'
import type { Invariant, Violation } from './invariants.ts'
import type { Page } from './world/page.ts'

/** All that is known of one key, from its minting on. */
export interface Life {
  readonly key: string
  /** Where its record lies. */
  readonly at: RecordKey
  readonly fingerprint: string
  /** The pages that handed the key to the network. */
  readonly senders: Set<string>
  /** When a page last committed that it sends, by the count of events. */
  readonly claims: Map<string, number>
  /** What the first arrival looked like. */
  wire: string | undefined
  /** Its person signed out while nobody knew: the same submit must meet it again, until its time is over. */
  forgottenUntil: number | undefined
  /** Given up, outlived, or another body took its place: what comes after it is another order. */
  over: boolean
  /** When it was first committed as settled, given up, or replaced as never executed. */
  ended:
    | { readonly as: 'succeeded' | 'refused' | 'discarded' | 'replaced'; readonly at: number }
    | undefined
  /** Who heard of its success, when by the count of events, and by the page's own clock. */
  readonly told: Map<string, { readonly at: number; readonly ms: number }>
}

interface Submit {
  readonly operation: string
  /** By the count of events, by the page's own clock, and by the clock on the wall. */
  readonly at: number
  readonly ms: number
  readonly wallMs: number
}

/** What a page has done so far. */
export interface Seen {
  readonly page: Page
  /** When a person last came to look at it. */
  shownAt: number
  readonly submits: Submit[]
  /** Operations it was asked to give up. */
  readonly discards: Set<string>
  /** Scopes that signed out here. */
  readonly forgets: Set<string>
}

const NOTHING: Found = { is: 'nothing' }

/** Everything a witness has seen. Order is a count of events, not a clock, because clocks are set back. */
export class Diary {
  readonly violations: Violation[] = []
  readonly lives = new Map<string, Life>()
  readonly pages = new Map<string, Seen>()
  readonly #committed = new Map<string, Found>()
  /** The latest that the clock on the wall has shown: who looked at it then may act on it later. */
  latestMs = 0
  #events = 0

  /** One more event. Returns its number. */
  event(): number {
    this.#events += 1
    return this.#events
  }

  /** What is committed at a record's place now. */
  found(at: RecordKey): Found {
    return this.#committed.get(JSON.stringify(at)) ?? NOTHING
  }

  /** Writes a commit down, read once, because it is looked at after every step. Returns what it says. */
  commit(at: RecordKey, stored: unknown): Found {
    const found = parseRecord(stored)
    this.#committed.set(JSON.stringify(at), found)
    return found
  }

  accuse(invariant: Invariant, because: string, life?: Life): void {
    const found = life ? `${life.key}: ${because}` : because
    // What was found stays found: once is enough.
    if (this.violations.some(known => known.because === found)) return
    this.violations.push({ invariant, because: found })
  }
}
