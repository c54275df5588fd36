import fc from 'fast-check'
import type { KyLike, RecordKey, ServerProfile } from 'sendonce'
import { businessNumber, idempotencyKey, isSendonceError } from 'sendonce'
import { expect, it, vi } from 'vitest'
import { parseRecord } from '../../src/record.ts'
import type { Change, OperationStore } from '../../src/store/store.ts'
import { memoryStore } from '../support/world/memory-store.ts'
import type { Page } from '../support/world/page.ts'
import { seeded } from '../support/world/pick.ts'
import type { BreakableDisk } from './disk.ts'
import { breakableDisk } from './disk.ts'
import { FUZZ_TIMEOUT_MS, fuzz } from './fuzz.ts'
import { nameOf, order, Shop, watch } from './shop.ts'

vi.setConfig({ testTimeout: FUZZ_TIMEOUT_MS })

/* What the model of a household has not: a disk that fails, hooks of an app that misbehave, clients that are closed. */

const PEOPLE = ['ada', 'bob'] as const
const AT_WORK = /^(?:preparing|sending|waiting)/
const FAULTS = ['lose-reply', 'lose-request', 'hang', 'cut-body'] as const
const STATUSES = [401, 409, 422, 429, 503]
const HOOKS = ['good', 'throws', 'slow', 'hangs', 'throws after'] as const

/** What a server may know of the keys that it was sent. */
const profiles: readonly ServerProfile[] = [
  idempotencyKey(),
  businessNumber({ place: { header: 'idempotency-key' } }),
].map(profile => ({
  ...profile,
  recover: async (_, ask) => {
    await ask('http://shop.test/api/orders/1')
    return { is: 'unknown' }
  },
}))

/** A tab, its disk, its app and whoever sits before it. */
class Seat {
  readonly page: Page
  readonly disk: BreakableDisk
  readonly client: ReturnType<Shop['open']>['client']
  readonly calls: { readonly what: string; readonly ended: ReturnType<typeof watch> }[] = []
  readonly aborts: AbortController[] = []
  hook: (typeof HOOKS)[number] = 'good'
  who: string | null = 'ada'
  isClosed = false

  constructor(shop: Shop, profile: ServerProfile, page: Page) {
    this.page = page
    this.disk = breakableDisk(page.store)
    const ky: KyLike = async (url, options) => {
      const { hook } = this
      if (hook === 'throws') throw new Error('A hook.')
      if (hook === 'slow') await this.#passes(700)
      if (hook === 'hangs') await new Promise(() => {})
      const answer = await options.fetch(new Request(url, options))
      if (hook === 'throws after') throw new Error('A hook.')
      return answer
    }
    const retry = { attemptTimeoutMs: 2_000, baseDelayMs: 300, maxAttempts: 3, deadlineMs: 60_000 }
    const options = { storage: this.disk.store, scope: () => this.who, ky, profile, retry }
    this.client = shop.open(options, page).client
    this.operation.subscribe(() => {})
  }

  get operation() {
    return this.client.operation('checkout')
  }

  call(what: string, run: () => Promise<unknown>): void {
    if (this.page.life === 'running') this.calls.push({ what, ended: watch(run()) })
  }

  submit(item: string, parseMs?: number): void {
    const abort = new AbortController()
    this.aborts.push(abort)
    const request = { ...order({ item }), signal: abort.signal }
    const parse = parseMs === undefined ? {} : { parse: () => this.#passes(parseMs) }
    this.call('submit', () => this.client.submit('checkout', { ...request, ...parse }))
  }

  #passes(ms: number): Promise<void> {
    return new Promise(resolve => void this.page.platform.timer(ms, () => resolve()))
  }
}

interface Office {
  readonly shop: Shop
  readonly seats: Seat[]
  open(page?: Page): Seat
}

type Act = { readonly name: string; readonly run: (seat: Seat, office: Office) => unknown }
const act = (name: string, run: Act['run']) => fc.constant({ name, run })
const oneOf = <T extends string | number | null>(
  name: string,
  values: readonly T[],
  run: (seat: Seat, value: T, office: Office) => unknown,
): fc.Arbitrary<Act> =>
  fc.constantFrom(...values).map(value => ({
    name: `${name} ${value}`,
    run: (seat, office) => run(seat, value, office),
  }))

const acts = fc.oneof(
  {
    weight: 4,
    arbitrary: oneOf('submit', ['book', 'book', 'lamp'], (seat, item) => seat.submit(item)),
  },
  oneOf('submit, parsed in', [10, 3_000], (seat, ms) => seat.submit('book', ms)),
  act('abort', ({ aborts }) => aborts.pop()?.abort()),
  act('resume', seat => seat.call('resume', () => seat.operation.resume())),
  act('recover', seat => seat.call('recover', () => seat.operation.recover())),
  act('discard', seat => seat.call('discard', () => seat.operation.discard())),
  act('resume all', seat => seat.call('resumeAll', () => seat.client.resumeAll())),
  act('unsettled', seat => seat.call('unsettled', () => seat.client.unsettled())),
  act('forget', seat => seat.call('forget', () => seat.client.forget())),
  act('adopt', seat => seat.call('adopt', () => seat.client.adopt('bob'))),
  act('close', seat => {
    seat.client.close()
    seat.isClosed = true
  }),
  oneOf('sign in as', [...PEOPLE, null], (seat, who) => {
    seat.who = who
  }),
  { weight: 2, arbitrary: act('the disk fails once', ({ disk }) => disk.failsOnce()) },
  act('the disk fails', ({ disk }) => disk.fails()),
  act('the disk works', ({ disk }) => disk.works()),
  oneOf('the hook is', HOOKS, (seat, hook) => {
    seat.hook = hook
  }),
  { weight: 2, arbitrary: oneOf('fault', FAULTS, (_, fault, { shop }) => shop.server.next(fault)) },
  oneOf('status', STATUSES, (_, status, { shop }) => shop.server.next({ is: 'status', status })),
  act('open a tab', (_, { open }) => open()),
  act('reload', ({ page }, { open }) => open(page.reload())),
  act('kill', ({ page }) => page.kill()),
  act('freeze', ({ page }) => page.life === 'running' && page.freeze()),
  act('unfreeze', ({ page }) => page.life === 'frozen' && page.unfreeze()),
  act('hide', ({ page }) => page.life === 'running' && page.hide()),
  act('show', ({ page }) => page.life === 'cached' && page.show()),
  act('offline', ({ page }) => page.offline()),
  act('online', ({ page }) => page.online()),
)

const steps = fc.array(
  fc.record({ act: acts, seat: fc.nat(3), ms: fc.constantFrom(0, 0, 1, 50, 500, 3_000, 40_000) }),
  { minLength: 3, maxLength: 20, size: 'max' },
)

/** Notes what must never be written: what nobody can read, and anything else over a success of the same key. */
function watched(store: OperationStore, found: string[]): OperationStore {
  const judge = (old: unknown, kept: unknown) => {
    const [before, after] = [parseRecord(old).record, parseRecord(kept)]
    if (after.is === 'unreadable') found.push('what nobody can read was written')
    const isUndone = before?.phase.is === 'succeeded' && after.record?.key === before.key
    if (isUndone && after.record?.phase.is !== 'succeeded') found.push('a success was undone')
  }
  return {
    ...store,
    change: <R>(key: RecordKey, decide: (old: unknown) => Change<R>) =>
      store.change(key, old => {
        const change = decide(old)
        if ('keep' in change) judge(old, change.keep)
        return change
      }),
  }
}

it('whatever fails, calls end, nobody seems to be at what nobody is at, and no key has two effects', async () => {
  const lives = fc.record({
    seed: fc.nat(),
    secure: fc.constantFrom(true, true, true, false),
    profile: fc.constantFrom(...profiles),
    steps,
  })
  await fc.assert(
    fc.asyncProperty(lives, async ({ seed, secure, profile, steps }) => {
      const found: string[] = []
      const records = watched(memoryStore(), found)
      const pick = seeded(seed, 8)
      const shop = new Shop({ world: { seed, pick, openStore: () => records } })
      const seats: Seat[] = []
      const open = (page = shop.world.page({ secure })) => {
        const seat = new Seat(shop, profile, page)
        seats.push(seat)
        return seat
      }
      const alive = () => seats.filter(({ page }) => page.life !== 'dead')
      const office: Office = { shop, seats, open }

      for (const step of steps) {
        const living = alive()
        step.act.run(living[step.seat % living.length] ?? open(), office)
        await shop.world.wait(step.ms)
      }
      for (const { page, disk } of alive()) {
        disk.works()
        if (page.life === 'frozen') page.unfreeze()
        if (page.life === 'cached') page.show()
        page.online()
      }
      await shop.world.wait(600_000)

      for (const { calls } of alive()) {
        for (const { what, ended } of calls) {
          if (!('value' in ended || 'error' in ended)) found.push(`${what} never ends`)
          if (ended.error && !isSendonceError(ended.error)) found.push(`${what}: ${ended.error}`)
        }
      }
      for (const who of PEOPLE) {
        const looker = open()
        looker.who = who
        await shop.world.wait(60_000)
        for (const seat of alive().filter(seat => seat.who === who && !seat.isClosed)) {
          const name = nameOf(seat.operation.getSnapshot())
          if (AT_WORK.test(name)) found.push(`${seat.page.name} shows ${name} for ever`)
        }
      }
      const keys = shop.server.ledger().map(({ key }) => key)
      if (new Set(keys).size < keys.length) found.push('a key has two effects')
      expect(found).toEqual([])
    }),
    fuzz(200),
  )
})
