import { age } from './collect.ts'
import type { Host } from './host.ts'
import type { Outcome, Paused, Snapshot } from './lifecycle.ts'
import { unsettledOf } from './lifecycle.ts'
import type { Context } from './outcome.ts'
import { outcomeOf, signedOut, unreadable } from './outcome.ts'
import type { Stop } from './platform.ts'
import { isUnderWay } from './presence.ts'
import type { Found, OperationRecord } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import { reporting } from './report.ts'
import type { Running } from './running.ts'
import type { RecordKey } from './store/store.ts'

/** How often it is looked whether another tab that is at the operation still lives. */
const LOOK_MS = 1_000

/** What this page last saw, while no turn of its own was under way. Empty: nothing. */
interface Seen {
  readonly record?: OperationRecord | undefined
  /** What it came to, where the record does not say it all: with the answer that this page got. */
  readonly outcome?: Outcome<unknown> | undefined
}

/** Before the first look. */
const UNSEEN: Seen = {}

/** A success that somebody has been told of. */
const NO_NEWS = { news: false } as const

/** What a page sees of one operation: of its own turn, of the record, of other tabs. */
export class Sight {
  readonly name: string
  readonly #host: Host
  readonly #listeners = new Set<() => void>()
  /** Whose operation is seen. */
  #scope: string | null
  #running: Running | undefined
  #seen: Seen = UNSEEN
  #read = false
  /** Another tab is at it, and lives. */
  #alive = false
  #snapshot: Snapshot<unknown> | undefined
  /** Counts what was seen: a look at the disk that began before is out of date. */
  #looks = 0
  #stopLooking: Stop | undefined
  /** Settles when all is on disk that the last turn has told of. */
  #written: Promise<unknown> | undefined

  constructor(host: Host, name: string) {
    this.#host = host
    this.name = name
    this.#scope = host.scope()
  }

  /** The turn of this page that is under way. */
  get running(): Running | undefined {
    return this.#running
  }

  getSnapshot(): Snapshot<unknown> {
    const scope = this.#host.scope()
    if (scope !== this.#scope) {
      // Somebody else is signed in now: nothing of the one before is shown.
      this.#scope = scope
      this.#seen = UNSEEN
      this.#read = false
      this.#snapshot = undefined
      queueMicrotask(() => this.refresh())
    }
    this.#snapshot ??= this.#look()
    return this.#snapshot
  }

  subscribe(listener: () => void): () => void {
    // A function of its own: the same listener may subscribe twice.
    const hear = () => reporting(listener)
    this.#listeners.add(hear)
    this.refresh()
    return () => {
      this.#listeners.delete(hear)
      if (this.#listeners.size === 0) this.#stopLooking?.()
    }
  }

  acknowledge(): Promise<void> {
    const { told, track } = this.#host
    const { record, outcome } = this.#seen
    if (this.#scope === null || outcome?.state !== 'succeeded' || !record) return Promise.resolve()
    const at = this.at(this.#scope)
    const noted = Promise.resolve(this.#written).then(() => told.note(at, record))
    track(noted)
    if (outcome.news) {
      told.tell(at, record)
      this.#see({ record, outcome: { ...outcome, ...NO_NEWS } })
    }
    return noted
  }

  /** Reads the record again: another tab has moved it, or this page comes back from where it could not hear. */
  refresh(): void {
    this.#looks += 1
    const look = this.#looks
    const scope = this.#host.scope()
    const work = async () => {
      await this.#written
      const found: Found = scope === null ? { is: 'nothing' } : await this.find(scope)
      const alive = found.record !== undefined && (await this.isElsewhere(found.record))
      const seen = await this.#seenOf(found)
      if (look !== this.#looks || this.#isOurs(scope) || scope !== this.#host.scope()) return
      this.#scope = scope
      this.#see(seen, alive)
    }
    // Where the store cannot be read what was seen stays, and nobody is at it any longer than that says; the submit that
    // meets it says why.
    const failed = async () => {
      const { record } = this.#seen
      const alive = this.#alive && record !== undefined && (await this.isElsewhere(record))
      if (look === this.#looks && !this.#isOurs(scope)) this.#see(this.#seen, alive)
    }
    this.#host.track(work().catch(failed))
  }

  /** What was seen last, for {@link show}; by then a list will find on disk what this page has told of. */
  async seen(): Promise<unknown> {
    await this.#written
    return this.#seen
  }

  /** What can be seen of an unsettled record that a list has found, unless more was seen than before the list. */
  async show(
    record: OperationRecord,
    scope: string | null,
    before: unknown,
  ): Promise<Snapshot<unknown>> {
    const alive = await this.isElsewhere(record)
    const isNews = this.#seen === before || this.#seen === UNSEEN
    if (isNews && !this.#isOurs(scope) && scope === this.#host.scope()) {
      this.#scope = scope
      this.#see({ record }, alive)
    }
    return this.getSnapshot()
  }

  /** Nothing is there any more: it was discarded, or its scope has signed out. */
  clear(scope: string | null = this.#scope): void {
    if (this.#scope === scope) this.#see({})
  }

  signedOut(): Paused {
    const outcome = signedOut(this.context())
    this.#see({ outcome })
    return outcome
  }

  /** A turn of this page begins. */
  begin(running: Running): void {
    // While it is asked about, what is known of it stays so; what is known of somebody else's does not.
    if (!running.asks || running.scope !== this.#scope) this.#seen = {}
    this.#running = running
    this.#scope = running.scope
    this.#looks += 1
    this.changed()
  }

  /** It has ended with this; without an outcome nobody knows yet what is there. */
  end(running: Running, seen?: Seen): void {
    if (this.#running !== running) return
    this.#running = undefined
    this.#written = running.over
    if (seen && running.scope === this.#scope) this.#see(seen)
    else this.changed()
  }

  changed(): void {
    this.#snapshot = undefined
    for (const listener of [...this.#listeners]) listener()
    this.#stopLooking?.()
    this.#stopLooking = undefined
    if (this.#alive && !this.#running && this.#listeners.size > 0 && !this.#host.closed()) {
      const { platform } = this.#host
      const phase = this.#seen.record?.phase
      const leftMs = phase?.is === 'sending' ? phase.leaseUntil - platform.now() : LOOK_MS
      const inMs = Math.min(LOOK_MS, Math.max(0, leftMs))
      this.#stopLooking = platform.timer(inMs, () => this.refresh())
    }
  }

  at(scope: string): RecordKey {
    return [this.#host.name, scope, this.name]
  }

  async find(scope: string): Promise<Found> {
    const { records, platform, keepSettledMs } = this.#host
    return age(parseRecord(await records.read(this.at(scope))), platform.now(), keepSettledMs)
  }

  /** Whether another document is at it, and lives. */
  async isElsewhere({ phase }: OperationRecord): Promise<boolean> {
    const { platform, owner } = this.#host
    return 'owner' in phase && phase.owner !== owner && isUnderWay(platform, phase)
  }

  context(record?: OperationRecord): Context {
    const { platform, records, profile } = this.#host
    return {
      operation: this.name,
      platform,
      durable: this.#scope !== null && records.durable(this.at(this.#scope)),
      profile: record && profile(record.profile),
      running: this.#running,
      alive: this.#alive,
    }
  }

  /** The turn that is under way is of this scope, and shown; one of somebody who has left may still be ending. */
  #isOurs(scope: string | null): boolean {
    return this.#running?.scope === scope
  }

  #see(seen: Seen, alive = false): void {
    this.#looks += 1
    this.#seen = seen
    this.#alive = alive
    this.#read = true
    this.changed()
  }

  async #seenOf(found: Found): Promise<Seen> {
    if (found.is === 'unreadable') return { outcome: unreadable(this.context()) }
    const { record } = found
    if (!record) return {}
    if (!isSettled(record)) return { record }
    const { record: before, outcome } = this.#seen
    if (outcome && before && isSettled(before) && before.key === record.key) {
      const known = record.toldAt === undefined ? {} : NO_NEWS
      return { record, outcome: { ...outcome, ...known } as Outcome<unknown> }
    }
    const context = this.context(record)
    return { record, outcome: await outcomeOf({ record, stored: true }, undefined, context) }
  }

  #look(): Snapshot<unknown> {
    const operation = this.name
    const running = this.#running
    if (running?.scope === this.#scope && !(running.asks && !running.record)) {
      const { record, startedAt } = running
      if (record) return unsettledOf(record, this.context(record))
      const nothing = { key: undefined, attempts: 0, durable: false }
      return { operation, state: 'sending', here: true, startedAt, ...nothing }
    }
    const { record, outcome } = this.#seen
    if (outcome) return outcome
    return record
      ? unsettledOf(record, this.context(record))
      : { operation, state: 'idle', read: this.#read }
  }
}
