import { createClientOn } from '../../../src/client.ts'
import type { Outcome, Snapshot } from '../../../src/lifecycle.ts'
import { isSettled } from '../../../src/record.ts'
import type { OperationStore, RecordKey } from '../../../src/store/store.ts'
import type { MockServer } from '../../../src/testing/index.ts'
import { createMockServer } from '../../../src/testing/index.ts'
import type { Sent } from '../../support/evidence.ts'
import type { Invariant } from '../../support/invariants.ts'
import { Witness } from '../../support/witness.ts'
import type { Point } from '../../support/world/agenda.ts'
import { memoryStore } from '../../support/world/memory-store.ts'
import type { Server } from '../../support/world/network.ts'
import type { Page } from '../../support/world/page.ts'
import type { Pick as Picker } from '../../support/world/pick.ts'
import { World } from '../../support/world/world.ts'
import type { Preset, PresetName } from '../presets.ts'
import { PRESETS, presetOf, statesFor, urlOf } from '../presets.ts'
import { dateOn, effectOf, isDead, nameOn, tokenOn } from '../wire.ts'
import type { Effect } from './intents.ts'
import { Intents } from './intents.ts'
import { nameOf, Tab } from './tab.ts'

export type Person = 'ada' | 'bob'
const PEOPLE: readonly Person[] = ['ada', 'bob']

/** `checkout` goes to a server with a preset of its own, `transfer` to one that promises nothing. */
export type OperationName = 'checkout' | 'transfer'
export const OPERATIONS: readonly OperationName[] = ['checkout', 'transfer']

/** What must hold after every step, beside what the witness knows of. */
export type HouseInvariant =
  | Invariant
  /** One order for each operation, and one more for each whose end was known. */
  | 'one-per-intent'
  /** Nothing of one person is sent with the cookies of another, or shown to them. */
  | 'own-scope'

export interface Accusation {
  readonly invariant: HouseInvariant
  readonly because: string
}

export interface HouseholdOptions {
  readonly pick?: Picker
  readonly seed?: number
  readonly secure?: boolean
  /** Of the server that `checkout` goes to. @default 'idempotencyKey()' */
  readonly preset?: PresetName
  /** What stands between the browser and the servers. @default nothing */
  readonly behind?: (server: Server) => Server
  /** Opens the records for a page. @default one memory store for all */
  readonly openStore?: () => OperationStore
  /** @default that of the source */
  readonly createClient?: typeof createClientOn
}

/** Longer than answers are kept, and short enough for a run to see it end. */
const KEY_TTL_MS = 1_200_000
/** Longer than answers are kept and keys live. */
export const ALL_OVER_MS: number = KEY_TTL_MS + 60_000
/** Short attempts, so that who waits for one does not ask a hundred times; few, so that a turn ends before its server. */
const RETRY = { attemptTimeoutMs: 1_000, baseDelayMs: 200, maxAttempts: 4, deadlineMs: 30_000 }
/** Longer than one attempt and its lease. */
export const LEASE_OVER_MS = 5_000
/** From the page to the server, so that what is on its way is so for a time. */
const LATENCY_MS = 5

/** A preset whose keys are forgotten in time. */
const forgetful = ({ profile, ...rest }: Preset): Preset => ({
  ...rest,
  profile: { ...profile, ttlMs: KEY_TTL_MS },
})

/** A computer at home: several tabs, one clock, one person signed in at a time, and a shop far away. */
export class Household {
  readonly world: World
  readonly mock: MockServer
  readonly witness: Witness
  readonly tabs: Tab[] = []
  /** Sees each point before it goes on. */
  at: ((point: Point) => void) | undefined
  readonly #options: HouseholdOptions
  readonly #presets: Readonly<Record<OperationName, Preset>>
  readonly #intents = new Intents()
  readonly #accusations: Accusation[] = []
  /** Whose cookies the browser has. */
  #session: Person | null = 'ada'
  #known: readonly Effect[] = []
  #jumpedMs = 0
  #arriving = 0

  constructor(options: HouseholdOptions = {}) {
    this.#options = options
    const { pick, seed, preset = 'idempotencyKey()', behind = server => server } = options
    const checkout = forgetful(presetOf(preset))
    const transfer = forgetful(PRESETS['no promise'])
    this.#presets = { checkout, transfer }
    const shared = memoryStore()
    const { openStore = () => shared } = options
    const world = new World({
      ...(pick && { pick }),
      ...(seed !== undefined && { seed }),
      calmTurns: 2,
      openStore: page => this.witness.store(page, openStore()),
    })
    this.world = world
    this.mock = createMockServer({
      now: () => this.#serverNow(),
      timer: (ms, run) => world.timer(ms, run),
      routes: { [checkout.path]: checkout.route, [transfer.path]: transfer.route },
      states: statesFor(...PEOPLE),
      // It forgets when it is told to, see `forgetKeys`.
      keyTtlMs: Number.MAX_SAFE_INTEGER,
    })
    this.witness = new Witness({
      nameOn,
      tokenOn,
      dateOn,
      effects: () => this.#effects(),
      failureKey: checkout.profile.failureKey,
      isDead: token => isDead(this.mock, token, this.#serverNow()),
      locks: options.secure ?? true,
    })
    const served = behind(request => this.mock.fetch(request))
    world.server = this.witness.server(async request => {
      this.#arriving += 1
      await new Promise<void>(resolve => void world.timer(LATENCY_MS, resolve))
      this.#arriving -= 1
      return served(request)
    })
    world.at = point => {
      this.check()
      this.at?.(point)
    }
  }

  /** What was found, by the witness and here. */
  get accusations(): readonly Accusation[] {
    return [...this.witness.violations, ...this.#accusations]
  }

  get living(): readonly Tab[] {
    return this.tabs.filter(({ page }) => page.life !== 'dead')
  }

  // ── what happens

  /** Opens a tab with a client in it. */
  open(page?: Page): Tab {
    const { createClient = createClientOn, secure = true } = this.#options
    const opened = page ?? this.world.page({ secure })
    const platform = this.witness.platform(opened)
    const look = () => this.#intents.shown(opened)
    platform.on('show', look)
    platform.on('visible', look)
    look()
    const fetchWithCookies: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      request.headers.set('authorization', `Bearer ${this.#session ?? 'signed-out'}`)
      this.#sent(opened, request)
      return platform.fetch(request)
    }
    const client = createClient(
      { ...platform, fetch: fetchWithCookies },
      {
        scope: () => this.#session,
        storage: opened.store,
        profile: this.#presets.checkout.profile,
        profiles: [this.#presets.transfer.profile],
        retry: RETRY,
      },
    )
    const tab = new Tab(opened, client, this)
    this.tabs.push(tab)
    return tab
  }

  /** A crash, and a new document in the place of the tab. */
  reload(tab: Tab, inFlight: 'lost' | 'arrives' = 'lost'): Tab {
    return this.open(tab.page.reload(inFlight))
  }

  /** Somebody else, or nobody, is signed in now; whoever looks at a tab sees it. */
  signIn(person: Person | null): void {
    this.#session = person
    for (const tab of this.tabs) tab.look()
  }

  /** Sets the clock of the computer, which is not the server's. */
  jump(ms: number): void {
    this.#jumpedMs += ms
    this.world.jump(ms)
  }

  /**
   * The server forgets its keys, and keeps its word: not before the lifetime of each that may be sent again is over, and
   * not while a request is on its way. Returns whether it did.
   */
  async forgetKeys(): Promise<boolean> {
    await this.world.run()
    const busy = this.#arriving > 0 || this.mock.log().some(({ effect }) => effect === 'under-way')
    const now = this.world.now()
    const places = PEOPLE.flatMap(person => OPERATIONS.map(operation => placeOf(person, operation)))
    if (busy || places.some(at => now < this.witness.liveUntil(at))) return false
    this.mock.forgetKeys()
    return true
  }

  // ── what is asked

  /** Where the record of an operation lies, for whoever is signed in. */
  place(operation: string): RecordKey | undefined {
    return this.#session === null ? undefined : placeOf(this.#session, operation)
  }

  request(operation: OperationName, item: string) {
    const { [operation]: preset } = this.#presets
    const json = { item, amount: 42, address: 'Unter den Linden 1', ...preset.fields }
    return {
      url: urlOf(preset, this.#session ?? 'nobody'),
      profile: preset.profile,
      headers: { 'x-operation': operation },
      json,
    }
  }

  // ── what is judged

  submitted(page: Page, at: RecordKey): void {
    this.witness.submitted(page, at[2])
    this.#intents.submitted(page, at)
  }

  told(page: Page, at: RecordKey, outcome: Outcome<unknown>): void {
    // Nobody was signed in: nothing was made.
    if (outcome.state === 'paused' && outcome.attempts === 0) return
    const key = this.witness.told(page, at, outcome)
    if (outcome.state === 'succeeded' && key) this.#intents.told(page, at, key)
  }

  shown(page: Page, snapshot: Snapshot<unknown>): void {
    const key = 'key' in snapshot ? snapshot.key : undefined
    const whose = key && this.witness.placeOf(key)?.[1]
    if (whose && whose !== this.#session) {
      this.accuse('own-scope', `${page.name} shows ${whose}'s ${key} to ${this.#session}`)
    }
    if (snapshot.state !== 'succeeded' || snapshot.bodyLost) return
    const { id } = snapshot.data as { readonly id: string }
    const order = this.#effects().find(each => each.id === id)
    if (!order) this.accuse('truth', `${page.name} shows a success that never was`)
    else if (order.principal !== this.#session) {
      this.accuse('own-scope', `${page.name} shows ${order.principal}'s ${order.id}`)
    }
  }

  check(): void {
    this.witness.check()
    const excess = this.#intents.excess(this.#effects(), this.witness.over())
    if (excess) this.accuse('one-per-intent', excess)
  }

  accuse(invariant: HouseInvariant, because: string): void {
    const known = this.#accusations.some(each => each.because === because)
    if (!known) this.#accusations.push({ invariant, because })
  }

  /** Lets time pass until the server has seen so many requests. */
  arrivals(count: number): Promise<void> {
    return this.world.run(() => this.mock.log().length >= count)
  }

  /** The network is back, all tabs are awake, and everything comes to rest. */
  async rest(): Promise<void> {
    this.mock.network('up')
    for (const { page } of this.living) {
      if (page.life === 'frozen') page.unfreeze()
      if (page.life === 'cached') page.show()
      page.online()
      page.foreground()
    }
    await this.world.settle()
    // Without locks only the end of its lease tells that a page is gone.
    await this.world.wait(LEASE_OVER_MS)
    this.check()
  }

  /**
   * At rest each call has ended, and what is not settled is seen by whoever looks. Then everybody resumes what is theirs
   * while nothing is broken any more. Returns how each operation ended before that.
   */
  async close(): Promise<readonly string[]> {
    const { witness, world, mock } = this
    await this.rest()
    for (const { page, calls } of this.living) {
      const open = calls.filter(call => call.ended === undefined).map(({ what }) => what)
      if (open.length > 0) this.accuse('ends', `${page.name} still waits: ${open}`)
    }
    mock.clearFaults()
    const ends: string[] = []
    for (const person of PEOPLE) {
      this.signIn(person)
      const looker = this.open()
      const seen = new Map<string, string>()
      looker.client.unsettled().then(all => {
        for (const { operation, snapshot } of all) seen.set(operation, nameOf(snapshot))
      })
      await world.run()
      for (const operation of OPERATIONS) {
        const record = witness.record(placeOf(person, operation))
        if (!record) continue
        const settled = isSettled(record)
        const end = settled ? record.phase.is : (seen.get(operation) ?? 'nothing')
        ends.push(end)
        // Its token was being fetched: as if nobody had asked.
        if (settled || (record.phase.is === 'preparing' && record.ambiguous === 0)) continue
        if (!/^(?:unknown|paused)/.test(end)) {
          this.accuse('ends', `${record.phase.is} is seen as ${end}`)
        }
        looker.resume(operation)
      }
      await world.settle()
      if (this.#presets.checkout.profile.recover) {
        looker.recover('checkout')
        await world.settle()
      }
    }
    this.check()
    return ends
  }

  #sent(page: Page, request: Sent): void {
    const whose = this.witness.placeOf(nameOn(request) ?? '')?.[1]
    // Without a record it is nobody's, and the witness says so.
    if (whose && whose !== this.#session) {
      this.accuse('own-scope', `${page.name} sends what is ${whose}'s as ${this.#session}`)
    }
  }

  #serverNow(): number {
    return this.world.now() - this.#jumpedMs
  }

  #effects(): readonly Effect[] {
    const orders = this.mock.ledger()
    if (orders.length !== this.#known.length) {
      this.#known = orders.map(order => {
        const effect = effectOf(order)
        return { ...effect, key: this.witness.keyOf(effect.key) ?? effect.key }
      })
    }
    return this.#known
  }
}

function placeOf(person: Person, operation: string): RecordKey {
  return ['default', person, operation]
}
