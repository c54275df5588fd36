import type { Platform } from '../../../src/platform.ts'
import type { OperationStore } from '../../../src/store/store.ts'
import type { Agenda, Kind, Life, Owner } from './agenda.ts'
import type { Locks } from './locks.ts'
import type { Server } from './network.ts'
import { outcomeOf } from './outcome.ts'
import { platformOf } from './platform.ts'

export interface PageOptions {
  /** False: an origin on plain http, without Web Locks and `crypto.subtle`. @default true */
  readonly secure?: boolean
  /** @default true */
  readonly visible?: boolean
}

export type PageEvent = Parameters<Platform['on']>[0]

/** What the pages of a world share. */
export interface Machine {
  readonly agenda: Agenda
  readonly locks: Locks
  readonly ears: Set<{ readonly page: Page; readonly name: string; readonly hear: Hear }>
  /** What all pages read and write at once. */
  readonly notes: Map<string, string>
  now(): number
  /** Work that takes real time, during which the world is not quiet. */
  work<T>(promise: Promise<T>): Promise<T>
  server(): Server
  openStore(page: string): OperationStore
  openPage(name: string, options: PageOptions): Page
}

export type Hear = (message: unknown) => void

/**
 * A tab with a document in it. Its state changes only between two points, when its code has come to rest, so no moment
 * is hidden from a test.
 */
export class Page implements Owner {
  readonly name: string
  readonly platform: Platform
  readonly store: OperationStore
  connected = true
  onlineHint = true
  visible: boolean
  readonly #machine: Machine
  readonly #options: PageOptions
  readonly #records: OperationStore
  readonly #listeners = new Set<{ readonly event: PageEvent; readonly hear: () => void }>()
  #life: Life = 'running'

  constructor(name: string, options: PageOptions, machine: Machine, random: () => number) {
    this.name = name
    this.visible = options.visible ?? true
    this.#options = options
    this.#machine = machine
    this.#records = machine.openStore(name)
    this.store = this.#gated(this.#records)
    this.platform = platformOf(this, machine, random, options.secure ?? true)
  }

  get life(): Life {
    return this.#life
  }

  /** Resolves when this point goes on; never, where the page is dead. */
  pass(kind: Kind): Promise<void> {
    return new Promise(resolve => this.#machine.agenda.add(this, kind, resolve))
  }

  /** A question with a point before it is asked and another before its answer is heard. */
  async ask<T>(before: Kind, after: Kind, work: () => T | Promise<T>): Promise<T> {
    await this.pass(before)
    const outcome = await this.#machine.work(outcomeOf(work))
    await this.pass(after)
    return outcome()
  }

  on(event: PageEvent, hear: () => void): () => void {
    const listener = { event, hear }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * A crash: nothing of it runs again, its locks are free. What it had handed over and was not begun (a transaction, a
   * request) is lost, or arrives without it. What was begun or under way goes on in either case.
   */
  kill(inFlight: 'lost' | 'arrives' = 'lost'): void {
    if (this.#life === 'dead') return
    this.#life = 'dead'
    const { agenda, locks, ears } = this.#machine
    locks.releaseAll(this)
    agenda.bury(this, inFlight)
    for (const ear of ears) if (ear.page === this) ears.delete(ear)
    this.#listeners.clear()
    this.#records.close()
  }

  /** A crash and a new document in its place, named with one more apostrophe. */
  reload(inFlight: 'lost' | 'arrives' = 'lost'): Page {
    this.kill(inFlight)
    return this.#machine.openPage(`${this.name}'`, { ...this.#options, visible: this.visible })
  }

  /** Timers and answers stop, locks stay, messages are still heard. */
  freeze(): void {
    this.#become('running', 'frozen')
  }

  unfreeze(): void {
    this.#become('frozen', 'running')
  }

  /**
   * Into the back-forward cache: the listeners of `hide` run, then nothing. Locks are let go, messages are lost. (Some
   * browsers evict the page at the first message: that is `kill()`.)
   */
  hide(): void {
    this.#become('running', 'cached')
    this.#machine.locks.releaseAll(this)
    this.#emit('hide')
    this.#machine.agenda.forgetMessages(this)
    this.visible = false
  }

  show(): void {
    this.#become('cached', 'running')
    this.foreground()
    this.#tell('show')
  }

  background(): void {
    this.visible = false
  }

  foreground(): void {
    this.visible = true
    this.#tell('visible')
  }

  /** Answers that come now are lost. `works`: only `online()` says so, wrongly. */
  offline(network: 'fails' | 'works' = 'fails'): void {
    this.onlineHint = false
    this.connected = network === 'works'
  }

  online(): void {
    this.onlineHint = true
    this.connected = true
    this.#tell('online')
  }

  #become(from: Life, to: Life): void {
    if (this.#life !== from) {
      throw new Error(`Page ${this.name} is ${this.#life}: only a ${from} page can become ${to}.`)
    }
    this.#life = to
  }

  #tell(event: PageEvent): void {
    this.#machine.agenda.add(this, 'event', () => this.#emit(event))
  }

  #emit(event: PageEvent): void {
    for (const listener of [...this.#listeners]) if (listener.event === event) listener.hear()
  }

  #gated(records: OperationStore): OperationStore {
    return {
      // The store of the product takes a third argument, the wish for durability.
      change: <R>(...asked: Parameters<typeof records.change<R>>) =>
        this.ask('store', 'stored', () => records.change(...asked)),
      list: (name, scope) => this.ask('store', 'stored', () => records.list(name, scope)),
      close: () => records.close(),
    }
  }
}
