import { keyExpiresAt } from '../../src/collect.ts'
import type { Outcome } from '../../src/lifecycle.ts'
import type { Platform } from '../../src/platform.ts'
import type { OperationRecord } from '../../src/record.ts'
import { isSettled } from '../../src/record.ts'
import type { OperationStore, RecordKey } from '../../src/store/store.ts'
import { judgeCommit } from './commits.ts'
import type { Life, Seen } from './diary.ts'
import { Diary } from './diary.ts'
import type { Effect, Evidence, Sent } from './evidence.ts'
import { hasEffect, idIn, sentBy } from './evidence.ts'
import type { Invariant, Violation } from './invariants.ts'
import type { Server } from './world/network.ts'
import type { Page } from './world/page.ts'

/** The caller of another body, or of nothing at all, hears of that: nothing is said of what is under way. */
const OF_ANOTHER: readonly string[] = ['payload-changed', 'invalid-argument', 'in-flight']

/**
 * Stands beside the client, at the store, at the network and at the ears of its callers, and believes nothing it says.
 */
export class Witness {
  readonly #evidence: Evidence
  readonly #diary: Diary

  constructor(evidence: Evidence) {
    this.#evidence = evidence
    this.#diary = new Diary(evidence)
  }

  get violations(): readonly Violation[] {
    return this.#diary.violations
  }

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
        if (after !== before) judgeCommit(this.#diary, { page, at: key, before, after })
        return result
      },
    }
  }

  /** The platform as the client of a page sees it; every request is judged where it leaves. */
  platform(page: Page): Platform {
    const diary = this.#diary
    const seen: Seen = {
      page,
      shownAt: diary.event(),
      submits: [],
      discards: new Set(),
      forgets: new Set(),
    }
    diary.pages.set(page.name, seen)
    for (const event of ['show', 'visible'] as const) {
      page.platform.on(event, () => {
        seen.shownAt = diary.event()
      })
    }
    return {
      ...page.platform,
      fetch: (input, init) => {
        this.#send(page.name, sentBy(input, init))
        return page.platform.fetch(input, init)
      },
    }
  }

  /** The server as the network sees it; every arrival is compared with the first of its key. */
  server(server: Server): Server {
    return async request => {
      const life = this.#diary.named(this.#evidence.nameOn(request))
      if (life && hasEffect(request)) await this.#arrive(life, request)
      return server(request)
    }
  }

  submitted(page: Page, operation: string): void {
    const { platform } = page
    const [ms, wallMs] = [platform.monotonic(), platform.now()]
    const at = this.#diary.event()
    this.#diary.pages.get(page.name)?.submits.push({ operation, at, ms, wallMs })
  }

  discarding(page: Page, operation: string): void {
    this.#diary.pages.get(page.name)?.discards.add(operation)
  }

  forgetting(page: Page, scope: string): void {
    this.#diary.pages.get(page.name)?.forgets.add(scope)
  }

  /**
   * A promise of the page's client was fulfilled, with what it says of the record at a place. Returns the key that it is
   * about.
   */
  told(page: Page, at: RecordKey, outcome: Outcome<unknown>): string | undefined {
    const diary = this.#diary
    const life = this.#meant(at, outcome)
    if (!life) {
      const claimed = outcome.key !== undefined || outcome.state === 'succeeded'
      if (claimed) {
        this.accuse('truth', `${page.name} was told of ${outcome.key ?? outcome.state}`)
      }
      return undefined
    }
    const effect = this.#happened(life)
    if (outcome.state === 'succeeded') {
      const id = idIn(outcome.data)
      if (!effect) this.accuse('truth', `${page.name} was told of a success`, life)
      else if (!outcome.bodyLost && id !== effect.id) {
        this.accuse('truth', `${page.name} was told of ${id}, it is ${effect.id}`, life)
      }
      if (!life.told.has(page.name)) {
        life.told.set(page.name, { at: diary.event(), ms: page.platform.monotonic() })
      }
    } else if (outcome.state !== 'unknown' && this.#effects(life).length > 0) {
      this.accuse('truth', `${page.name} was told "${outcome.state}", and it happened`, life)
    }
    return life.key
  }

  /** A promise of the page's client was rejected: then nothing of it may be under way. `item`: what it was to order. */
  rejected(page: Page, at: RecordKey, code: string, item?: string): void {
    const record = this.record(at)
    const life = record && this.#diary.lives.get(record.key)
    if (!life || OF_ANOTHER.includes(code)) return
    const { body } = record.request
    const text = body.kept ? new TextDecoder().decode(body.bytes) : undefined
    if (item && text?.includes(item) === false) return
    if (life.ended || !life.senders.has(page.name) || !record.ambiguous) return
    this.accuse('truth', `${page.name} was told "${code}", and had sent it`, life)
  }

  /** The record that is committed now. */
  record(at: RecordKey): OperationRecord | undefined {
    const found = this.#diary.found(at)
    return found.is === 'record' ? found.record : undefined
  }

  /** Where the record lies, or lay, that has a key or a token. */
  placeOf(name: string): RecordKey | undefined {
    return this.#diary.named(name)?.at
  }

  /** The key of the record that has a key or a token. */
  keyOf(name: string | undefined): string | undefined {
    return this.#diary.named(name)?.key
  }

  /** Keys after which the same is another order: given up, outlived, or replaced by another body. */
  over(): ReadonlySet<string> {
    const lives = [...this.#diary.lives.values()]
    return new Set(lives.filter(({ over }) => over).map(({ key }) => key))
  }

  /** Until when an operation may be sent again, and so must not be forgotten by the server. */
  liveUntil(at: RecordKey): number {
    const found = this.#diary.found(at)
    if (found.is === 'stub' && found.stub.stub === 'forgotten') return found.stub.until
    return found.is === 'record' && !isSettled(found.record) ? keyExpiresAt(found.record) : 0
  }

  /** Judges the state that all have left behind. Cheap: to be called after every step. */
  check(): void {
    const [any] = this.#diary.pages.values()
    this.#diary.latestMs = Math.max(this.#diary.latestMs, any?.page.platform.now() ?? 0)
    for (const life of this.#diary.lives.values()) {
      const count = this.#effects(life).length
      if (count > 1) this.accuse('one-effect', `${count} effects`, life)
      const found = this.record(life.at)
      const record = found?.key === life.key ? found : undefined
      const { ended } = life
      const kept = record || life.forgottenUntil !== undefined
      if (!kept && !ended && life.senders.size > 0) this.accuse('no-record-lost', 'gone', life)
      const never = ended?.as === 'refused' || ended?.as === 'replaced'
      if (count > 0 && (never || record?.phase.is === 'paused')) {
        this.accuse('truth', `${ended?.as ?? 'paused'}, and it happened`, life)
      }
      if (ended?.as === 'succeeded' && !this.#happened(life)) {
        this.accuse('truth', 'never happened', life)
      }
    }
  }

  accuse(invariant: Invariant, because: string, life?: Life): void {
    this.#diary.accuse(invariant, because, life)
  }

  #send(page: string, request: Sent): void {
    if (!hasEffect(request)) return
    const name = this.#evidence.nameOn(request)
    const token = this.#evidence.tokenOn?.(request)
    const life = this.#diary.named(name)
    if (!life) {
      this.accuse('write-ahead', `${page} sent ${name}, which was never stored`)
      return
    }
    life.senders.add(page)
    if (token !== undefined) life.carried.add(token)
    const found = this.record(life.at)
    const record = found?.key === life.key ? found : undefined
    const { ended, claims } = life
    const sending = record?.phase.is === 'sending'
    if (sending && record.token?.value !== token) {
      this.accuse('one-token', `${page} sent ${token}, not ${record.token?.value}`, life)
    }
    // A page that has not heard yet of a sign-out in another tab may send: its claim is kept, as a stub.
    const claimed = life.forgottenUntil !== undefined || sending
    // A success may be written over what another page has just claimed: what leaves then is one more delivery of the same.
    const overtaken = ended?.over === page
    if (overtaken) ended.over = undefined
    const late = (claims.get(page) ?? 0) > (ended?.at ?? 0)
    if (ended && ((this.#evidence.locks && !overtaken) || late)) {
      this.accuse('nothing-after-the-end', `${page} sent what was ${ended.as}`, life)
    } else if (!ended && !claimed) {
      this.accuse('write-ahead', `${page} sent without a claim`, life)
    }
  }

  async #arrive(life: Life, request: Request): Promise<void> {
    const { method, url, headers } = request
    const body = await request.clone().text()
    const wire = JSON.stringify([method, url, [...headers], body])
    const date = this.#evidence.dateOn?.(request)
    const parts = JSON.stringify([this.#evidence.tokenOn?.(request), date])
    const first = life.wires.get(parts)
    if (first === undefined) life.wires.set(parts, wire)
    else if (wire !== first) this.accuse('same-bytes', `${wire} came after ${first}`)
    if (date !== life.dated && !life.mayDate) {
      this.accuse('same-bytes', `${date} came after ${life.dated}`, life)
    }
    life.dated = date
    life.mayDate = false
  }

  /** Which life an outcome is about. */
  #meant(at: RecordKey, outcome: Outcome<unknown>): Life | undefined {
    const diary = this.#diary
    if (outcome.key !== undefined) return diary.lives.get(outcome.key)
    // Without a key on the wire the client tells none: what it says happened is known by its answer, or by its record.
    if (outcome.state !== 'succeeded') return undefined
    const id = idIn(outcome.data)
    const effect = this.#evidence.effects().find(each => each.id === id)
    if (effect && effect.made === undefined) return diary.named(effect.key)
    const place = JSON.stringify(at)
    const there = [...diary.lives.values()].filter(life => JSON.stringify(life.at) === place)
    const now = diary.named(this.record(at)?.key) ?? there.at(-1)
    // Another one may have taken its place by the time that somebody hears of it.
    const isMeant = (life: Life) => life.startedAt === outcome.startedAt
    return now && isMeant(now) ? now : (there.findLast(isMeant) ?? now)
  }

  /** What a life did itself. */
  #effects(life: Life): readonly Effect[] {
    return this.#evidence.effects().filter(({ key }) => this.#diary.named(key) === life)
  }

  /** What a success of it speaks of: what it did, or what it found done. */
  #happened(life: Life): Effect | undefined {
    const effects = this.#evidence.effects()
    return effects.find(({ key, made }) => made === life.url || this.#diary.named(key) === life)
  }
}
