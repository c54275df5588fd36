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
  /** The address it is sent to. */
  readonly url: string
  /** When its submit began, by the clock on the wall. */
  readonly startedAt: number
  /** The one-time token that its record has, or had last. */
  token: string | undefined
  /** The tokens that were handed to the network. */
  readonly carried: Set<string>
  /** The pages that handed the key to the network. */
  readonly senders: Set<string>
  /** When a page last committed that it sends, by the count of events. */
  readonly claims: Map<string, number>
  /** What the first arrival looked like, by what may differ: the token and the date that it carried. */
  readonly wires: Map<string, string>
  /** The date that the last arrival carried, and whether it may change: nothing that was sent may have been executed. */
  dated: string | undefined
  mayDate: boolean
  /** Its person signed out while nobody knew: the same submit must meet it again, until its time is over. */
  forgottenUntil: number | undefined
  /** Given up, outlived, or another body took its place: what comes after it is another order. */
  over: boolean
  /** When it was first committed as settled, given up, or replaced as never executed. */
  ended:
    | {
        readonly as: 'succeeded' | 'refused' | 'discarded' | 'replaced'
        readonly at: number
        /** The page whose claim it was written over, which only a success may be: one delivery of it may be on its way. */
        over?: string | undefined
      }
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

/** What the server is like, as far as commits are judged by it. */
export interface Ways {
  /** `keep`: a refused key is sent again by the next submit of the same. @default 'rotate' */
  readonly failureKey?: 'rotate' | 'keep'
  /** Whether no order has come of a token, nor ever can. @default never */
  isDead?(token: string): boolean
}

const NOTHING: Found = { is: 'nothing' }

/** Everything a witness has seen. Order is a count of events, not a clock, because clocks are set back. */
export class Diary {
  readonly violations: Violation[] = []
  readonly lives = new Map<string, Life>()
  /** By one-time token. */
  readonly bearers = new Map<string, Life>()
  readonly pages = new Map<string, Seen>()
  readonly #committed = new Map<string, Found>()
  /** The latest that the clock on the wall has shown: who looked at it then may act on it later. */
  latestMs = 0
  readonly ways: Ways
  #events = 0

  constructor(ways: Ways = {}) {
    this.ways = ways
  }

  /** The life that a key or a token names. */
  named(name: string | undefined): Life | undefined {
    return name === undefined ? undefined : (this.lives.get(name) ?? this.bearers.get(name))
  }

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
