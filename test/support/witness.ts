import { keyExpiresAt } from '../../src/collect.ts'
import type { Outcome } from '../../src/lifecycle.ts'
import type { Platform } from '../../src/platform.ts'
import type { OperationRecord } from '../../src/record.ts'
import { isSettled } from '../../src/record.ts'
import type { OperationStore, RecordKey } from '../../src/store/store.ts'
import { judgeCommit } from './commits.ts'
import type { Life, Seen } from './diary.ts'
import { Diary } from './diary.ts'
import type { Invariant, Violation } from './invariants.ts'
import type { Server } from './world/network.ts'
import type { Page } from './world/page.ts'

/** An order that was really placed, under the key that its request carried. */
export interface Effect {
  readonly id: string
  readonly key: string | undefined
}

/** What the witness looks at of the server. */
export interface Evidence {
  effects(): readonly Effect[]
  /** The key of a request. */
  keyOf(headers: Headers): string | undefined
  /**
   * Whether pages see by locks that another lives. Where they only outwait it, it may end what they have just claimed:
   * what leaves then is one more delivery of the same.
   */
  readonly locks: boolean
}

/** The caller of another body, or of nothing at all, hears of that: nothing is said of what is under way. */
const OF_ANOTHER: readonly string[] = ['payload-changed', 'invalid-argument', 'in-flight']

/**
 * Stands beside the client, at the store, at the network and at the ears of its callers, and believes nothing it says.
 */
export class Witness {
  readonly #evidence: Evidence
  readonly #diary = new Diary()

  constructor(evidence: Evidence) {
    this.#evidence = evidence
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
        const given = input instanceof Request ? input.headers : undefined
        this.#send(page.name, new Headers(init?.headers ?? given))
        return page.platform.fetch(input, init)
      },
    }
  }

  /** The server as the network sees it; every arrival is compared with the first of its key. */
  server(server: Server): Server {
    return async request => {
      const life = this.#diary.lives.get(this.#evidence.keyOf(request.headers) ?? '')
      const { method, url, headers } = request
      const body = await request.clone().text()
      const wire = JSON.stringify([method, url, [...headers], body])
      if (life) {
        life.wire ??= wire
        if (wire !== life.wire) this.accuse('same-bytes', `${wire} came after ${life.wire}`)
      }
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

  /** A promise of the page's client was fulfilled. */
  told(page: Page, outcome: Outcome<unknown>): void {
    const diary = this.#diary
    const { id } = ('data' in outcome ? (outcome.data ?? {}) : {}) as { id?: string }
    const bodyLost = outcome.state === 'succeeded' && outcome.bodyLost
    // Without a key on the wire the client tells none: what it says happened is in the ledger under one.
    const effects = this.#evidence.effects()
    const named = bodyLost ? effects.at(-1) : effects.find(effect => effect.id === id)
    const key = outcome.key ?? named?.key
    const life = diary.lives.get(key ?? '')
    if (!life) {
      const claimed = outcome.key !== undefined || outcome.state === 'succeeded'
      if (claimed) this.accuse('truth', `${page.name} was told of ${key ?? outcome.state}`)
      return
    }
    const [effect] = this.#effects(life.key)
    if (outcome.state === 'succeeded') {
      if (!effect) this.accuse('truth', `${page.name} was told of a success`, life)
      else if (!bodyLost && id !== effect.id) {
        this.accuse('truth', `${page.name} was told of ${id}, it is ${effect.id}`, life)
      }
      if (!life.told.has(page.name)) {
        life.told.set(page.name, { at: diary.event(), ms: page.platform.monotonic() })
      }
    } else if (outcome.state !== 'unknown' && effect) {
      this.accuse('truth', `${page.name} was told "${outcome.state}", and it happened`, life)
    }
  }

  /** A promise of the page's client was rejected: then nothing of it may be under way. */
  rejected(page: Page, at: RecordKey, code: string): void {
    const record = this.record(at)
    const life = record && this.#diary.lives.get(record.key)
    if (!life || OF_ANOTHER.includes(code)) return
    if (life.ended || !life.senders.has(page.name) || !record.ambiguous) return
    this.accuse('truth', `${page.name} was told "${code}", and had sent it`, life)
  }

  /** The record that is committed now. */
  record(at: RecordKey): OperationRecord | undefined {
    const found = this.#diary.found(at)
    return found.is === 'record' ? found.record : undefined
  }

  /** Where the record of a key lies, or lay. */
  placeOf(key: string): RecordKey | undefined {
    return this.#diary.lives.get(key)?.at
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
    const effects = this.#evidence.effects()
    for (const life of this.#diary.lives.values()) {
      const count = effects.filter(({ key }) => key === life.key).length
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
      if (count === 0 && ended?.as === 'succeeded') this.accuse('truth', 'never happened', life)
    }
  }

  accuse(invariant: Invariant, because: string, life?: Life): void {
    this.#diary.accuse(invariant, because, life)
  }

  #send(page: string, headers: Headers): void {
    const key = this.#evidence.keyOf(headers)
    const life = this.#diary.lives.get(key ?? '')
    if (!life) {
      this.accuse('write-ahead', `${page} sent ${key}, which was never stored`)
      return
    }
    life.senders.add(page)
    const record = this.record(life.at)
    const { ended, claims } = life
    // A page that has not heard yet of a sign-out in another tab may send: its claim is kept, as a stub.
    const claimed =
      life.forgottenUntil !== undefined || (record?.key === key && record?.phase.is === 'sending')
    if (ended && (this.#evidence.locks || (claims.get(page) ?? 0) > ended.at)) {
      this.accuse('nothing-after-the-end', `${page} sent what was ${ended.as}`, life)
    } else if (!ended && !claimed) {
      this.accuse('write-ahead', `${page} sent without a claim`, life)
    }
  }

  #effects(key: string): readonly Effect[] {
    return this.#evidence.effects().filter(effect => effect.key === key)
  }
}
