import { setImmediate } from 'node:timers'
import type { Stop } from '../../../src/platform.ts'
import type { OperationStore } from '../../../src/store/store.ts'
import type { Entry, Owner, Point } from './agenda.ts'
import { Agenda } from './agenda.ts'
import { Locks } from './locks.ts'
import { memoryStore } from './memory-store.ts'
import type { Server } from './network.ts'
import type { Machine, PageOptions } from './page.ts'
import { Page } from './page.ts'
import type { Choice, Pick } from './pick.ts'
import { inOrder, randomFrom } from './pick.ts'

export interface WorldOptions {
  /** What goes on next. @default inOrder */
  readonly pick?: Pick
  /** Of what the pages call random. @default 1 */
  readonly seed?: number
  /** Opens the records for a page. @default one memory store for all */
  readonly openStore?: (page: string) => OperationStore
  /** @default CALM_TURNS */
  readonly calmTurns?: number
}

/** The wall clock of a new world: 2030-01-01, far from now, so that a look at the real clock shows. */
export const START_MS: number = Date.UTC(2030, 0, 1)

/**
 * Turns of the event loop without anything new after which all code is taken to be at rest. ky with hooks, bodies, blobs,
 * clones and digests were measured to need one turn between two ports, a compression stream two.
 */
export const CALM_TURNS = 4

const SETTLE_LIMIT_MS = 3_600_000
/** More points at one moment than any sane run has: somebody goes round in circles without waiting. */
const MAX_POINTS_AT_ONCE = 10_000

/**
 * Pages, a server and nothing else: one process in which everything that a page waits for waits for us. Time moves, and
 * a point goes on, only when all code is at rest, so the same choices give the same run.
 */
export class World {
  /** Answers what the pages send. */
  server: Server = async ({ method, url }) => {
    throw new Error(`${method} ${url}: this world has no server. Set world.server.`)
  }
  /**
   * Sees each point right before it goes on, with its place in the run from 0. What it stops (kills, freezes) there does
   * not go on.
   */
  at: ((point: Point, place: number) => void) | undefined
  /** The points that were passed. */
  readonly trace: Point[] = []
  /** What was chosen wherever there was a choice: see `scripted` and `nextScript`. */
  readonly choices: Choice[] = []
  readonly #agenda = new Agenda()
  readonly #serverSide: Owner = { name: 'server', life: 'running' }
  readonly #machine: Machine
  readonly #pick: Pick
  readonly #calmTurns: number
  #busy = 0
  #jumpedMs = 0
  #pages = 0

  constructor(options: WorldOptions = {}) {
    const { pick = inOrder, seed = 1, openStore, calmTurns = CALM_TURNS } = options
    const shared = memoryStore()
    const random = randomFrom(seed)
    this.#pick = pick
    this.#calmTurns = calmTurns
    this.#machine = {
      agenda: this.#agenda,
      locks: new Locks(),
      ears: new Set(),
      notes: new Map(),
      now: () => this.now(),
      work: promise => this.#work(promise),
      server: () => this.server,
      openStore: openStore ?? (() => shared),
      openPage: (name, pageOptions) => {
        const own = randomFrom(Math.floor(random() * 2 ** 32))
        return new Page(name, pageOptions, this.#machine, own)
      },
    }
  }

  /** The wall clock, milliseconds since 1970. */
  now(): number {
    return START_MS + this.#agenda.elapsedMs + this.#jumpedMs
  }

  /** A timer of the server, which no page takes with it. */
  timer(ms: number, run: () => void): Stop {
    return this.#agenda.add(this.#serverSide, 'timer', run, ms)
  }

  /** Sets the wall clock forwards or backwards; timers and monotonic clocks do not notice. */
  jump(ms: number): void {
    this.#jumpedMs += ms
  }

  /** Opens a tab: A, B, C and so on. */
  page(options: PageOptions = {}): Page {
    const name = String.fromCharCode('A'.charCodeAt(0) + this.#pages++)
    return this.#machine.openPage(name, options)
  }

  /** Goes on until nothing can without time, or, given a condition, through time until it holds. */
  async run(until?: () => boolean): Promise<void> {
    const { elapsedMs } = this.#agenda
    const reached = await this.#drive(until ? Number.POSITIVE_INFINITY : elapsedMs, until)
    if (until && !reached) {
      throw new Error(`Nothing is left to happen and ${until} does not hold. ${this.#lastPoints()}`)
    }
  }

  /** Lets so much time pass, with all that is due in it. */
  async wait(ms: number): Promise<void> {
    const endMs = this.#agenda.elapsedMs + ms
    await this.#drive(endMs)
    this.#agenda.elapsedMs = endMs
  }

  /** Lets time pass until nothing is left to happen. False where that was not so within the limit. */
  async settle(limitMs: number = SETTLE_LIMIT_MS): Promise<boolean> {
    await this.#drive(this.#agenda.elapsedMs + limitMs)
    return this.#agenda.nextDueMs() === undefined
  }

  async #drive(endMs: number, until?: () => boolean): Promise<boolean> {
    for (let points = 0; points < MAX_POINTS_AT_ONCE; points += 1) {
      await this.#calm()
      if (until?.()) return true
      const ready = this.#agenda.ready()
      const dueMs = this.#agenda.nextDueMs() ?? Number.POSITIVE_INFINITY
      const mayWait = dueMs < Number.POSITIVE_INFINITY && dueMs <= endMs
      if (ready.length === 0 && !mayWait) return false
      const chosen = ready[this.#choose(ready, mayWait)]
      if (chosen) {
        this.#goOn(chosen)
      } else {
        this.#agenda.elapsedMs = dueMs
        points = 0
      }
    }
    throw new Error(`${MAX_POINTS_AT_ONCE} points and no time has passed. ${this.#lastPoints()}`)
  }

  #choose(ready: readonly Entry[], mayWait: boolean): number {
    if (ready.length + (mayWait ? 1 : 0) === 1) return 0
    const taken = this.#pick(ready, mayWait)
    this.choices.push({ taken, of: ready.length })
    return taken
  }

  #goOn(entry: Entry): void {
    const { page, kind, n } = entry
    const point = { page, kind, n }
    this.trace.push(point)
    this.at?.(point, this.trace.length - 1)
    if (this.#agenda.ready().includes(entry)) {
      this.#agenda.take(entry)
      entry.run()
    }
  }

  /** All code has come to rest, each part of it at a point. */
  async #calm(): Promise<void> {
    let added = -1
    for (let turns = 0; turns < this.#calmTurns; ) {
      turns = this.#busy === 0 && this.#agenda.added === added ? turns + 1 : 0
      added = this.#agenda.added
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  async #work<T>(promise: Promise<T>): Promise<T> {
    this.#busy += 1
    try {
      return await promise
    } finally {
      this.#busy -= 1
    }
  }

  #lastPoints(): string {
    const last = this.trace.slice(-8).map(({ page, kind, n }) => `${page} ${kind} ${n}`)
    return `Last: ${last.join(', ')}.`
  }
}
