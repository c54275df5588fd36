import type { Client } from '../../src/client.ts'
import { createClientOn } from '../../src/client.ts'
import type { SendonceError } from '../../src/errors.ts'
import type { Outcome } from '../../src/lifecycle.ts'
import type { Platform } from '../../src/platform.ts'
import type { OperationStore, RecordKey } from '../../src/store/store.ts'
import type { MockServer } from '../../src/testing/index.ts'
import { createMockServer } from '../../src/testing/index.ts'
import type { Effect } from '../support/evidence.ts'
import { Witness } from '../support/witness.ts'
import type { Point } from '../support/world/agenda.ts'
import { memoryStore } from '../support/world/memory-store.ts'
import type { Page } from '../support/world/page.ts'
import type { Pick } from '../support/world/pick.ts'
import { World } from '../support/world/world.ts'
import type { Preset } from './presets.ts'
import { PRESETS, statesFor, urlOf } from './presets.ts'
import { dateOn, effectOf, isDead, nameOn, tokenOn } from './wire.ts'

export const OPERATION = 'checkout'
const SCOPE = 'ada'
const AT: RecordKey = ['default', SCOPE, OPERATION]

/** Short attempts, so that who waits for one does not ask a hundred times: every question is a point to crash at. */
const RETRY = { attemptTimeoutMs: 1_000, baseDelayMs: 200, deadlineMs: 30_000 }

/** Without locks, a page that is so late with its next attempt counts as gone. */
const LATE_MS = 5_000

/** From the page to the server, so that what is on its way is so for a time. */
const LATENCY_MS = 5

export interface ShopOptions {
  readonly pick?: Pick
  readonly seed?: number
  readonly calmTurns?: number
  /** Opens the records for a page. @default one memory store for all */
  readonly openStore?: (page: string) => OperationStore
  /** How the server executes once, and the client knows it. @default `idempotencyKey()` */
  readonly preset?: Preset
  /** False: an origin on plain http, without Web Locks and `crypto.subtle`. @default true */
  readonly secure?: boolean
  /** How long the server remembers a key. @default a day */
  readonly keyTtlMs?: number
  /** Makes a wrong client of it. */
  readonly wrong?: Wrong
}

/** What stands between a client and the witness. */
export interface Wrong {
  readonly fetch?: (fetch: Platform['fetch']) => Platform['fetch']
  readonly store?: (store: OperationStore) => OperationStore
}

/** A world with one shop in it, one operation, and somebody who watches. */
export class Shop {
  readonly world: World
  readonly mock: MockServer
  readonly witness: Witness
  readonly tabs: Tab[] = []
  /** Sees each point before it goes on, with its place in the run. */
  at: ((point: Point, place: number) => void) | undefined
  readonly preset: Preset
  readonly #options: ShopOptions
  readonly #locks: boolean
  #jumpedMs = 0
  #known: readonly Effect[] = []

  constructor(options: ShopOptions = {}) {
    this.#options = options
    this.#locks = options.secure ?? true
    this.preset = options.preset ?? PRESETS['idempotencyKey()']
    const { pick, seed, calmTurns } = options
    const { path, route, profile } = this.preset
    const serverNow = () => this.world.now() - this.#jumpedMs
    const shared = memoryStore()
    const openStore = options.openStore ?? (() => shared)
    this.world = new World({
      ...(pick && { pick: (ready, mayWait) => this.#orphanedFirst(ready) ?? pick(ready, mayWait) }),
      ...(seed !== undefined && { seed }),
      ...(calmTurns && { calmTurns }),
      openStore: page => this.witness.store(page, openStore(page)),
    })
    this.mock = createMockServer({
      now: serverNow,
      timer: (ms, run) => this.world.timer(ms, run),
      routes: { [path]: route },
      states: statesFor(SCOPE),
      ...(options.keyTtlMs && { keyTtlMs: options.keyTtlMs }),
    })
    this.witness = new Witness({
      effects: () => this.#effects(),
      locks: this.#locks,
      nameOn,
      tokenOn,
      dateOn,
      failureKey: profile.failureKey,
      isDead: token => isDead(this.mock, token, serverNow()),
    })
    this.world.server = this.witness.server(async request => {
      await new Promise<void>(resolve => void this.world.timer(LATENCY_MS, resolve))
      return this.mock.fetch(request)
    })
    this.world.at = (point, place) => {
      this.witness.check()
      this.at?.(point, place)
    }
  }

  /** Opens a tab with a client in it. */
  tab(page: Page = this.world.page({ secure: this.#locks })): Tab {
    const { wrong = {} } = this.#options
    const { fetch = own => own, store = own => own } = wrong
    const platform = this.witness.platform(page)
    const client = createClientOn(
      { ...platform, fetch: fetch(platform.fetch) },
      {
        scope: SCOPE,
        storage: store(page.store),
        retry: RETRY,
        profile: this.preset.profile,
      },
    )
    const tab = new Tab(page, client, this.witness, this.preset)
    this.tabs.push(tab)
    return tab
  }

  /** Sets the clock of the machine, which is not the server's. */
  jump(ms: number): void {
    this.#jumpedMs += ms
    this.world.jump(ms)
  }

  /** The tab that shows the page of this name. */
  tabOf(page: string): Tab | undefined {
    return this.tabs.find(tab => tab.page.name === page)
  }

  /** A crash, and a new document in the place of the tab. */
  reload(tab: Tab, inFlight: 'lost' | 'arrives' = 'lost'): Tab {
    return this.tab(tab.page.reload(inFlight))
  }

  /**
   * Everything has come to rest: each call has ended, and what is not settled is seen by whoever looks. Then a person
   * resumes it while nothing is broken any more. Returns how the operation ended before that.
   */
  async close(): Promise<string> {
    const { witness, world, mock } = this
    witness.check()
    const living = this.tabs.filter(({ page }) => page.life === 'running')
    for (const { page, calls } of living) {
      const open = calls.filter(call => call.ended === undefined).map(({ what }) => what)
      if (open.length > 0) witness.accuse('ends', `${page.name} still waits: ${open}`)
    }
    const record = witness.record(AT)
    if (!record) return 'nothing'
    const { phase } = record
    if (phase.is === 'succeeded' || phase.is === 'refused') return phase.is
    // Its token was being fetched: as if nobody had asked.
    if (phase.is === 'preparing' && record.ambiguous === 0) return 'nothing'
    // A page that died without the lock that others see it by counts as living until it is late.
    const lateAt =
      'leaseUntil' in phase
        ? phase.leaseUntil
        : phase.is === 'waiting' && !this.#locks
          ? phase.nextAttemptAt + LATE_MS
          : 0
    await world.wait(Math.max(0, lateAt - world.now()))
    const looker = living.at(-1) ?? this.tab()
    let seen = 'nothing'
    looker.client.unsettled().then(([first]) => {
      if (first) seen = nameOf(first.snapshot)
    })
    await world.run()
    if (!/^(?:unknown|paused)/.test(seen)) witness.accuse('ends', `${phase.is} is seen as ${seen}`)
    mock.clearFaults()
    mock.network('up')
    looker.resume()
    await world.settle()
    if (this.preset.profile.recover) {
      looker.recover()
      await world.settle()
    }
    witness.check()
    return seen
  }

  /**
   * What a page that died had handed to the store goes before all that comes after: a transaction cannot ask a dead page
   * what to write.
   */
  #orphanedFirst(ready: readonly Point[]): number | undefined {
    const dead = (page: string) => this.tabOf(page)?.page.life === 'dead'
    const at = ready.findIndex(({ kind, page }) => kind === 'store' && dead(page))
    return at < 0 ? undefined : at
  }

  #effects(): readonly Effect[] {
    const orders = this.mock.ledger()
    if (orders.length !== this.#known.length) this.#known = orders.map(effectOf)
    return this.#known
  }
}

interface Call {
  readonly what: string
  ended: string | undefined
}

/** A page, its client, and what became of every call. */
export class Tab {
  readonly page: Page
  readonly client: Client
  readonly calls: Call[] = []
  readonly #witness: Witness
  readonly #preset: Preset
  readonly #aborts: AbortController[] = []

  constructor(page: Page, client: Client, witness: Witness, preset: Preset) {
    this.page = page
    this.client = client
    this.#witness = witness
    this.#preset = preset
  }

  submit(item = 'book'): void {
    this.#witness.submitted(this.page, OPERATION)
    const json = { item, amount: 42, address: 'Unter den Linden 1', ...this.#preset.fields }
    const abort = new AbortController()
    this.#aborts.push(abort)
    const request = { url: urlOf(this.#preset, SCOPE), json, signal: abort.signal }
    this.#call(`submit ${item}`, async () => [await this.client.submit(OPERATION, request)], item)
  }

  /** Ends the waiting of whoever submitted last. */
  abort(): void {
    this.#aborts.pop()?.abort()
  }

  resumeAll(): void {
    this.#call('resumeAll', () => this.client.resumeAll())
  }

  resume(): void {
    this.#call('resume', async () => [await this.client.operation(OPERATION).resume()])
  }

  recover(): void {
    this.#call('recover', async () => [await this.client.operation(OPERATION).recover()])
  }

  /** Fetches a token ahead. That there is none to be had says nothing of the operation. */
  prepare(): void {
    this.#call('prepare', async () => {
      await this.client
        .operation(OPERATION)
        .prepare()
        .catch(() => {})
      return []
    })
  }

  discard(): void {
    this.#witness.discarding(this.page, OPERATION)
    this.#call('discard', async () => {
      await this.client.operation(OPERATION).discard()
      return []
    })
  }

  #call(what: string, run: () => Promise<readonly Outcome<unknown>[]>, item?: string): void {
    const call: Call = { what, ended: undefined }
    this.calls.push(call)
    run().then(
      outcomes => {
        for (const outcome of outcomes) this.#witness.told(this.page, AT, outcome)
        call.ended = outcomes.map(nameOf).join() || 'nothing'
      },
      (error: SendonceError) => {
        if (!error.code) throw error
        this.#witness.rejected(this.page, AT, error.code, item)
        call.ended = error.code
      },
    )
  }
}

function nameOf(outcome: { readonly state: string; readonly reason?: string }): string {
  return 'reason' in outcome ? `${outcome.state}: ${outcome.reason}` : outcome.state
}
