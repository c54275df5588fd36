import type { Stop } from '../../../src/platform.ts'
import { MAX_TIMER_MS } from '../../../src/platform.ts'

/** How much of a page still runs, from all to nothing. `cached`: in the back-forward cache. */
export type Life = 'running' | 'frozen' | 'cached' | 'dead'
const LIVES: readonly Life[] = ['running', 'frozen', 'cached', 'dead']

/**
 * What can be waited for, and so where a page can be stopped.
 *
 * - `store`, `stored`: a transaction before it begins, and after its commit before the page hears of it.
 * - `lock`, `locked`: the same for a question to the lock manager.
 * - `send`, `serve`: a request that the page gave away, and one that has left it and is about to reach the server.
 * - `reply`, `body`: status and headers, and then the whole body, before the page hears of them.
 * - `hear`: a message of another page. `event`: `online`, `visible`, `show`.
 * - `digest`, `timer`: a hash, a wait.
 */
export type Kind =
  | 'store'
  | 'stored'
  | 'lock'
  | 'locked'
  | 'send'
  | 'serve'
  | 'reply'
  | 'body'
  | 'hear'
  | 'event'
  | 'digest'
  | 'timer'

interface Rule {
  /** What stands earlier in this page's queue of this kind goes first; else any may overtake any. */
  readonly inOrder: boolean
  /** The least that must be left of the page for this to go on. */
  readonly until: Life
  /** It was handed over already: the death of the page may stop it, or may not. */
  readonly outlives?: true
}

// Transactions of one store, requests to one lock manager and messages of one channel keep their order; requests do not.
// A frozen page still hears its channel (measured in Chromium), and what the browser process has of it goes on.
const RULES: Readonly<Record<Kind, Rule>> = {
  store: { inOrder: true, until: 'running', outlives: true },
  stored: { inOrder: true, until: 'running' },
  lock: { inOrder: true, until: 'frozen' },
  locked: { inOrder: true, until: 'running' },
  send: { inOrder: false, until: 'cached', outlives: true },
  serve: { inOrder: false, until: 'dead' },
  reply: { inOrder: false, until: 'running' },
  body: { inOrder: false, until: 'running' },
  hear: { inOrder: true, until: 'frozen' },
  event: { inOrder: true, until: 'running' },
  digest: { inOrder: false, until: 'running' },
  timer: { inOrder: true, until: 'running' },
}

/** A page, or the server. */
export interface Owner {
  readonly name: string
  readonly life: Life
}

/** A point at which a run can be interrupted: the `n`th of its kind on its page, from 1. */
export interface Point {
  readonly page: string
  readonly kind: Kind
  readonly n: number
}

export interface Entry extends Point {
  readonly owner: Owner
  readonly dueMs: number
  readonly run: () => void
  orphaned: boolean
}

const runs = ({ kind, owner, orphaned }: Entry): boolean =>
  orphaned || LIVES.indexOf(owner.life) <= LIVES.indexOf(RULES[kind].until)

/** Everything that is to happen, and the time at which it is. */
export class Agenda {
  /** Time that has passed, untouched by jumps of the wall clock. */
  elapsedMs = 0
  /** Grows whenever something is added: a sign that somebody is still at work. */
  added = 0
  #entries: Entry[] = []
  readonly #counts = new Map<string, number>()

  add(owner: Owner, kind: Kind, run: () => void, delayMs = 0): Stop {
    if (!(delayMs <= MAX_TIMER_MS)) {
      throw new RangeError(`A timer of ${delayMs} ms fires at once in browsers: split it.`)
    }
    this.added += 1
    if (owner.life === 'dead' && RULES[kind].until !== 'dead') return () => {}
    const id = `${owner.name} ${kind}`
    const n = (this.#counts.get(id) ?? 0) + 1
    this.#counts.set(id, n)
    const dueMs = this.elapsedMs + Math.max(0, delayMs)
    const entry: Entry = { page: owner.name, kind, n, owner, dueMs, run, orphaned: false }
    // Kept sorted by time, and among equals by age: what is first here is first to go on.
    const at = this.#entries.findLastIndex(other => other.dueMs <= dueMs) + 1
    this.#entries.splice(at, 0, entry)
    return () => this.take(entry)
  }

  /** Whether it was still there. */
  take(entry: Entry): boolean {
    const at = this.#entries.indexOf(entry)
    if (at >= 0) this.#entries.splice(at, 1)
    return at >= 0
  }

  /** What may go on now, oldest first. */
  ready(): readonly Entry[] {
    const queues = new Set<string>()
    return this.#entries.filter(entry => {
      if (entry.dueMs > this.elapsedMs || !runs(entry)) return false
      const id = `${entry.page} ${entry.kind}`
      if (RULES[entry.kind].inOrder && queues.has(id)) return false
      queues.add(id)
      return true
    })
  }

  /** When the next thing is due that is not yet. */
  nextDueMs(): number | undefined {
    return this.#entries.find(entry => entry.dueMs > this.elapsedMs && runs(entry))?.dueMs
  }

  /** A page died: what needs it is gone; what it had handed over is lost too, or arrives without it. */
  bury(owner: Owner, inFlight: 'lost' | 'arrives'): void {
    this.#entries = this.#entries.filter(entry => {
      if (entry.owner !== owner || RULES[entry.kind].until === 'dead') return true
      entry.orphaned = RULES[entry.kind].outlives === true && inFlight === 'arrives'
      return entry.orphaned
    })
  }

  forgetMessages(owner: Owner): void {
    this.#entries = this.#entries.filter(entry => entry.owner !== owner || entry.kind !== 'hear')
  }
}
