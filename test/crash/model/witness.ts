import { keyExpiresAt } from '../../../src/collect.ts'
import type { Outcome } from '../../../src/lifecycle.ts'
import type { Platform } from '../../../src/platform.ts'
import type { OperationRecord, Stub } from '../../../src/record.ts'
import { isSettled, parseRecord } from '../../../src/record.ts'
import type { OperationStore, RecordKey } from '../../../src/store/store.ts'
import type { Order } from '../../../src/testing/index.ts'
import type { Server } from '../../support/world/network.ts'
import type { Page } from '../../support/world/page.ts'

/** What must hold after every step of every run, whoever is killed, frozen or lied to. */
export type Invariant =
  /** The server executes no key twice. */
  | 'one-effect'
  /** No request leaves before the record that names its key is committed. */
  | 'write-ahead'
  /** Every attempt of a key carries the same key, headers and bytes to the same address. */
  | 'same-bytes'
  /** A new key only after settlement or discard, or where nothing was executed; never for a page that did not know. */
  | 'key-rotation'
  /** What was sent and is not settled is in the store. */
  | 'no-record-lost'
  /** A success stays one, a refusal too. */
  | 'settled-stays'
  /** Nothing is sent for a key that is settled or given up. */
  | 'nothing-after-the-end'
  /** Told and stored: "succeeded" is in the ledger, "refused" and "paused" are not, "nothing was sent" was not. */
  | 'truth'
  /** Every call ends, and what is not settled is seen as unknown or paused. */
  | 'ends'

export interface Violation {
  readonly invariant: Invariant
  readonly because: string
}

/** What the witness looks at of the server. */
export interface Evidence {
  /** The orders really placed, each under the key that its request carried. */
  effects(): readonly Pick<Order, 'id' | 'key'>[]
  /** The key of a request. @default its header `idempotency-key` */
  readonly keyOf?: (headers: Headers) => string | undefined
  /** Within this a page that was told may not get a new key for the same. @default 1_000 */
  readonly joinMs?: number
  /** After this a settled record may be gone, and with it the memory of who was told. @default 600_000 */
  readonly keepSettledMs?: number
}

/** All that is known of one key, from its minting on. */
interface Life {
  readonly key: string
  /** Where its record lies. */
  readonly place: string
  readonly fingerprint: string
  /** By page: how often it handed the key to the network. */
  readonly sent: Map<string, number>
  /** What the first arrival looked like. */
  wire: string | undefined
  /** Its person signed out while nobody knew: the same submit must meet it again, until its time is over. */
  forgottenUntil?: number
  /** Given up, or its time was over, or another body took its place: what comes after it is another order. */
  over?: true
  /** When it was first committed as settled, given up, or replaced as never executed. */
  ended:
    | { readonly as: 'succeeded' | 'refused' | 'discarded' | 'replaced'; readonly at: number }
    | undefined
  /** Who heard of its success, when by the count of events, and by the page's own clock. */
  readonly told: Map<string, { readonly at: number; readonly ms: number }>
}

interface Call {
  readonly operation: string
  /** By the count of events, by the page's own clock, and by the clock on the wall. */
  readonly at: number
  readonly ms: number
  readonly wallMs: number
}

/** What a page has done so far. */
interface Seen {
  readonly page: Page
  /** When a person last came to look at it. */
  shownAt: number
  readonly submits: Call[]
  /** Operations it was asked to give up. */
  readonly discards: Set<string>
  /** Scopes that signed out here. */
  readonly forgets: Set<string>
}

/**
 * Stands beside the client, at the store, at the network and at the ears of its callers, and believes nothing it says.
 * Order is a count of events, not a clock, because clocks are set back.
 */
export class Witness {
  readonly violations: Violation[] = []
  readonly #evidence: Evidence
  readonly #committed = new Map<string, unknown>()
  readonly #lives = new Map<string, Life>()
  readonly #pages = new Map<string, Seen>()
  #events = 0
  /** The latest that the clock on the wall has shown: who looked at it then may act on it later. */
  #latestMs = 0

  constructor(evidence: Evidence) {
    this.#evidence = evidence
  }

  // ── where it stands

  /** The store as a page sees it; every commit is judged. */
  store(page: string, records: OperationStore): OperationStore {
    return {
      ...records,
      change: async (key, decide, ...durability: []) => {
        let before: unknown
        let after: unknown
        const result = await records.change(
          key,
          old => {
            const change = decide(old)
            before = old
            after = 'keep' in change ? change.keep : 'drop' in change ? undefined : old
            return change
          },
          ...durability,
        )
        if (after !== before) this.#commit(page, key, before, after)
        return result
      },
    }
  }

  /** The platform as the client of a page sees it; every request is judged where it leaves. */
  platform(page: Page): Platform {
    const seen: Seen = {
      page,
      shownAt: ++this.#events,
      submits: [],
      discards: new Set(),
      forgets: new Set(),
    }
    this.#pages.set(page.name, seen)
    for (const event of ['show', 'visible'] as const) {
      page.platform.on(event, () => {
        seen.shownAt = ++this.#events
      })
    }
    return {
      ...page.platform,
      fetch: (input, init) => {
        const given = input instanceof Request ? input.headers : undefined
        this.#send(page.name, new Headers(init?.headers ?? given))
        return page.platform.fetch(input, init)
      },
    }
  }

  /** The server as the network sees it; every arrival is compared with the first of its key. */
  server(server: Server): Server {
    return async request => {
      const life = this.#lives.get(this.#keyOf(request.headers) ?? '')
      const { method, url, headers } = request
      const body = await request.clone().text()
      const wire = JSON.stringify([method, url, [...headers], body])
      if (life) {
        life.wire ??= wire
        if (wire !== life.wire) this.#accuse('same-bytes', `${wire} came after ${life.wire}`)
      }
      return server(request)
    }
  }

  submitted(page: Page, operation: string): void {
    const { platform } = page
    const [ms, wallMs] = [platform.monotonic(), platform.now()]
    this.#pages.get(page.name)?.submits.push({ operation, at: ++this.#events, ms, wallMs })
  }

  discarding(page: Page, operation: string): void {
    this.#pages.get(page.name)?.discards.add(operation)
  }

  forgetting(page: Page, scope: string): void {
    this.#pages.get(page.name)?.forgets.add(scope)
  }

  /** A promise of the page's client was fulfilled. */
  told(page: Page, outcome: Outcome<unknown>): void {
    const { id } = ('data' in outcome ? (outcome.data ?? {}) : {}) as { id?: string }
    // Without a key on the wire the client tells none: what it says happened is in the ledger under one.
    const key = outcome.key ?? this.#evidence.effects().find(effect => effect.id === id)?.key
    const life = this.#lives.get(key ?? '')
    if (!life) {
      const claimed = outcome.key !== undefined || outcome.state === 'succeeded'
      if (claimed) this.#accuse('truth', `${page.name} was told of ${key ?? outcome.state}`)
      return
    }
    const effects = this.#effects(life.key)
    if (outcome.state === 'succeeded') {
      if (effects.length === 0) this.#accuse('truth', `${page.name} was told of a success`, life)
      else if (!outcome.bodyLost && id !== effects[0]?.id) {
        this.#accuse('truth', `${page.name} was told of ${id}, it is ${effects[0]?.id}`, life)
      }
      if (!life.told.has(page.name)) {
        life.told.set(page.name, { at: ++this.#events, ms: page.platform.monotonic() })
      }
    } else if (outcome.state !== 'unknown' && effects.length > 0) {
      this.#accuse('truth', `${page.name} was told "${outcome.state}", and it happened`, life)
    }
  }

  /** A promise of the page's client was rejected: then nothing of it may be under way. */
  rejected(page: Page, at: RecordKey, code: string): void {
    const record = this.record(at)
    const life = record && this.#lives.get(record.key)
    const others = code === 'payload-changed' || code === 'invalid-argument' || code === 'in-flight'
    if (!life || others || life.ended || !life.sent.has(page.name) || !record.ambiguous) return
    this.#accuse('truth', `${page.name} was told "${code}", and had sent it`, life)
  }

  // ── what it says

  /** The record that is committed now. */
  record(at: RecordKey): OperationRecord | undefined {
    const found = parseRecord(this.#committed.get(JSON.stringify(at)))
    return found.is === 'record' ? found.record : undefined
  }

  /** Where the record of a key lies, or lay. */
  placeOf(key: string): RecordKey | undefined {
    const life = this.#lives.get(key)
    return life && (JSON.parse(life.place) as RecordKey)
  }

  /** When the server may forget the key that an operation may be sent with again. */
  expiresAt(at: RecordKey): number | undefined {
    const found = parseRecord(this.#committed.get(JSON.stringify(at)))
    if (found.is === 'stub') return found.stub.stub === 'forgotten' ? found.stub.until : undefined
    if (found.is !== 'record' || isSettled(found.record)) return undefined
    return keyExpiresAt(found.record)
  }

  /** The keys of an operation that were given up, or outlived. */
  over(at: RecordKey): readonly string[] {
    const place = JSON.stringify(at)
    return [...this.#lives.values()]
      .filter(life => life.place === place && life.over)
      .map(({ key }) => key)
  }

  /** Judges the state that all have left behind. Cheap: to be called after every step. */
  check(): void {
    const [any] = this.#pages.values()
    this.#latestMs = Math.max(this.#latestMs, any?.page.platform.now() ?? 0)
    for (const life of this.#lives.values()) {
      const effects = this.#effects(life.key).length
      if (effects > 1) this.#accuse('one-effect', `${effects} effects`, life)
      const found = parseRecord(this.#committed.get(life.place))
      const record = found.is === 'record' && found.record.key === life.key ? found.record : null
      const { ended } = life
      const kept = record || life.forgottenUntil !== undefined
      if (!kept && !ended && life.sent.size > 0) this.#accuse('no-record-lost', 'gone', life)
      const never = ended?.as === 'refused' || ended?.as === 'replaced'
      if (effects > 0 && (never || record?.phase.is === 'paused')) {
        this.#accuse('truth', `${ended?.as ?? 'paused'}, and it happened`, life)
      }
      if (effects === 0 && ended?.as === 'succeeded') this.#accuse('truth', 'never happened', life)
    }
  }

  accuse(invariant: Invariant, because: string): void {
    this.#accuse(invariant, because)
  }

  // ── how it judges

  #commit(page: string, at: RecordKey, old: unknown, next: unknown): void {
    const place = JSON.stringify(at)
    this.#committed.set(place, next)
    this.#events += 1
    const before = parseRecord(old)
    const after = parseRecord(next)
    const was = before.is === 'record' ? before.record : undefined
    const is = after.is === 'record' ? after.record : undefined
    const wasLife = was && this.#lives.get(was.key)
    if (before.is === 'stub') {
      // Whoever takes it away may have looked at the clock some time before.
      const now = this.#pages.get(page)?.page.platform.now() ?? 0
      this.#outlive(before.stub.key, after.is === 'nothing' ? this.#latestMs : now)
    }

    if (was && wasLife && was.key !== is?.key) {
      if (after.is === 'stub' && after.stub.key === was.key) {
        this.#leave(page, at, after.stub, wasLife)
      } else if (is) this.#rotate(page, at, was, wasLife, is)
      else if (isSettled(was)) wasLife.over = true
      else if (wasLife.sent.size > 0 && was.ambiguous > 0) {
        this.#accuse('no-record-lost', `${page} dropped it`, wasLife)
      }
    }
    if (!is) return

    const life: Life = this.#lives.get(is.key) ?? {
      key: is.key,
      place,
      fingerprint: is.request.fingerprint,
      wire: undefined,
      sent: new Map(),
      told: new Map(),
      ended: undefined,
    }
    this.#lives.set(is.key, life)
    const forgotten = life.forgottenUntil !== undefined
    if (was?.key !== is.key && life.sent.size > 0 && wasLife?.sent.size !== 0 && !forgotten) {
      this.#accuse('key-rotation', `${page} brought a key back`, life)
    }
    delete life.forgottenUntil
    // The claim that replaced it was undone.
    if (life.ended?.as === 'replaced') life.ended = undefined
    if (was?.key === is.key) this.#compare(page, was, is, life)
    this.#guard(page, place, is, life)
    if (isSettled(is)) life.ended ??= { as: is.phase.is, at: this.#events }
  }

  /** The same key, moved on. */
  #compare(page: string, was: OperationRecord, is: OperationRecord, life: Life): void {
    if (isSettled(was) && was.phase.is !== is.phase.is && is.phase.is !== 'succeeded') {
      this.#accuse('settled-stays', `${page} made ${was.phase.is} ${is.phase.is}`, life)
    }
    if (is.attempt < was.attempt) {
      this.#accuse('no-record-lost', `${page} counted attempt ${was.attempt} back`, life)
    }
    const frozen = ({ request }: OperationRecord) =>
      [request.method, request.url, JSON.stringify(request.headers), request.fingerprint].join(' ')
    const { bytes } = { bytes: undefined, ...was.request.body }
    const { bytes: left } = { bytes: undefined, ...is.request.body }
    // The bytes of what nobody knows go when the key expires, those of what is settled at once.
    const mayGo = isSettled(is) || this.#latestMs >= keyExpiresAt(was)
    const changed = bytes && String(bytes) !== String(left) && !(mayGo && left === undefined)
    if (frozen(was) !== frozen(is) || changed) {
      this.#accuse('same-bytes', `${page} changed what was frozen`, life)
    }
  }

  /** A stub took the place of a record: the app's word, or time. */
  #leave(page: string, [, scope, operation]: RecordKey, stub: Stub, life: Life): void {
    const asked = this.#pages.get(page)
    const forgotten = stub.stub === 'forgotten' && asked?.forgets.has(scope)
    if (forgotten && stub.ambiguous > 0) {
      life.forgottenUntil = stub.until
      return
    }
    life.over = true
    if (life.ended) return
    if (!forgotten && !asked?.discards.has(operation)) {
      this.#accuse('no-record-lost', `${page} gave it up unasked`, life)
    }
    life.ended = { as: 'discarded', at: this.#events }
  }

  /** A stub was found whose time may be over: then it means nothing any more. */
  #outlive(key: string, now: number): void {
    const life = this.#lives.get(key)
    if (life?.forgottenUntil === undefined || now < life.forgottenUntil) return
    life.over = true
    life.ended ??= { as: 'discarded', at: this.#events }
    delete life.forgottenUntil
  }

  /** The key that a forgotten one must not be replaced by. */
  #guard(page: string, place: string, is: OperationRecord, life: Life): void {
    for (const other of this.#lives.values()) {
      if (other.place !== place || other === life || other.forgottenUntil === undefined) continue
      this.#accuse('key-rotation', `${page} minted ${is.key} over what was forgotten`, other)
    }
  }

  /** Another key took the place of a record. */
  #rotate(
    page: string,
    [, , operation]: RecordKey,
    was: OperationRecord,
    wasLife: Life,
    is: OperationRecord,
  ): void {
    // A claim that is undone: nothing of it had left.
    if (wasLife.sent.size === 0) return
    const same = wasLife.fingerprint === is.request.fingerprint
    if (!isSettled(was)) {
      if (same || was.ambiguous > 0) {
        this.#accuse('key-rotation', `${page} replaced it by ${is.key}, ${was.phase.is}`, wasLife)
      }
      wasLife.ended = { as: 'replaced', at: this.#events }
      return
    }
    const now = this.#pages.get(page)?.page.platform.now() ?? 0
    const { keepSettledMs = 600_000 } = this.#evidence
    if (!same || now >= was.phase.at + keepSettledMs) {
      wasLife.over = true
      return
    }
    if (!this.#knew(page, operation, wasLife, was.phase.at)) {
      this.#accuse('key-rotation', `${page} minted ${is.key} without knowing of it`, wasLife)
    }
  }

  /** Whether a submit of this page may count as a second one on purpose. */
  #knew(page: string, operation: string, { ended, told }: Life, endedMs: number): boolean {
    const seen = this.#pages.get(page)
    if (!seen || !ended) return false
    const { joinMs = 1_000 } = this.#evidence
    const here = told.get(page)
    const elsewhere = [...told.values()].some(({ at }) => at < seen.shownAt)
    return seen.submits.some(call => {
      if (call.operation !== operation) return false
      // A refusal has had no effect: one that is a moment older than its commit may count as known.
      if (ended.as === 'refused') return call.at > ended.at || call.wallMs >= endedMs
      return elsewhere || (here && call.at > here.at && call.ms - here.ms >= joinMs)
    })
  }

  #send(page: string, headers: Headers): void {
    const key = this.#keyOf(headers)
    const life = this.#lives.get(key ?? '')
    if (!life) {
      this.#accuse('write-ahead', `${page} sent ${key}, which was never stored`)
      return
    }
    this.#events += 1
    life.sent.set(page, (life.sent.get(page) ?? 0) + 1)
    const found = parseRecord(this.#committed.get(life.place))
    // A page that has not heard yet of a sign-out in another tab may send: its claim is kept, as a stub.
    const claimed =
      life.forgottenUntil !== undefined ||
      (found.is === 'record' && found.record.key === key && found.record.phase.is === 'sending')
    if (life.ended) {
      this.#accuse('nothing-after-the-end', `${page} sent what was ${life.ended.as}`, life)
    } else if (!claimed) {
      this.#accuse('write-ahead', `${page} sent without a claim`, life)
    }
  }

  #keyOf(headers: Headers): string | undefined {
    const { keyOf = (all: Headers) => all.get('idempotency-key') ?? undefined } = this.#evidence
    return keyOf(headers)
  }

  #effects(key: string): readonly Pick<Order, 'id' | 'key'>[] {
    return this.#evidence.effects().filter(effect => effect.key === key)
  }

  #accuse(invariant: Invariant, because: string, life?: Life): void {
    const told = life ? `${life.key}: ${because}` : because
    // What was found stays found: once is enough.
    if (this.violations.some(each => each.because === told)) return
    this.violations.push({ invariant, because: told })
  }
}
