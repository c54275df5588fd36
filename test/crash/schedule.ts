import fc from 'fast-check'
import { seeded } from '../support/world/pick.ts'
import type { FaultName } from './faults.ts'
import { FAULT_NAMES, specialFaults, strike } from './faults.ts'
import type { Preset } from './presets.ts'
import { PRESETS, worksBy } from './presets.ts'
import type { ShopOptions, Tab } from './shop.ts'
import { Shop } from './shop.ts'

/** What a person, the network or a clock may do to one of the tabs at any moment. */
const ACTS = {
  'kill and resume': (shop, tab) => shop.reload(tab).resumeAll(),
  'kill and submit': (shop, tab) => shop.reload(tab).submit(),
  'kill, what was handed over arrives, and resume': (shop, tab) =>
    shop.reload(tab, 'arrives').resumeAll(),
  'kill, what was handed over arrives, and submit': (shop, tab) =>
    shop.reload(tab, 'arrives').submit(),
  close: (_, tab) => tab.page.kill(),
  'open and submit': shop => shop.tab().submit(),
  'submit the same': (_, tab) => tab.submit(),
  'submit another body': (_, tab) => tab.submit('lamp'),
  resume: (_, tab) => tab.resume(),
  resumeAll: (_, tab) => tab.resumeAll(),
  recover: (_, tab) => tab.recover(),
  prepare: (_, tab) => tab.prepare(),
  'prepare and submit': (_, tab) => {
    tab.prepare()
    tab.submit()
  },
  abort: (_, tab) => tab.abort(),
  discard: (_, tab) => tab.discard(),
  freeze: (_, { page }) => page.life === 'running' && page.freeze(),
  unfreeze: (_, { page }) => page.life === 'frozen' && page.unfreeze(),
  hide: (_, { page }) => page.life === 'running' && page.hide(),
  show: (_, { page }) => page.life === 'cached' && page.show(),
  background: (_, { page }) => page.background(),
  foreground: (_, { page }) => page.life === 'running' && page.foreground(),
  offline: (_, { page }) => page.offline(),
  online: (_, { page }) => page.online(),
  'network down': ({ mock }) => mock.network('down'),
  'network up': ({ mock }) => mock.network('up'),
  'the clock is an hour ahead': shop => shop.jump(3_600_000),
  'the clock is an hour behind': shop => shop.jump(-3_600_000),
  'the clock is two seconds ahead': shop => shop.jump(2_000),
  'the clock is two seconds behind': shop => shop.jump(-2_000),
} satisfies Record<string, (shop: Shop, tab: Tab) => unknown>

type ActName = keyof typeof ACTS
const ACT_NAMES = Object.keys(ACTS) as ActName[]

const AHEAD: readonly ActName[] = ['the clock is an hour ahead', 'the clock is two seconds ahead']

/** What can be done with a preset, and may be. */
function actsFor({ profile }: Preset): readonly ActName[] {
  return ACT_NAMES.filter(name => {
    if (name === 'recover') return profile.recover
    if (name.startsWith('prepare')) return profile.token
    // How long ago the last request left is told by the clock on the wall, where pages come and go.
    return profile.settleMs === undefined || !AHEAD.includes(name)
  })
}

/** Only what a running page can do itself. */
const NEEDS_LIFE: readonly ActName[] = [
  'submit the same',
  'submit another body',
  'resume',
  'resumeAll',
  'recover',
  'prepare',
  'prepare and submit',
  'abort',
  'discard',
]

export interface Schedule {
  /** Of the order in which points go on. */
  readonly seed: number
  /** One in so many choices lets time pass although something could go on. */
  readonly waitOneIn: number
  readonly tabs: number
  readonly faults: readonly FaultName[]
  readonly steps: readonly {
    /** So many points after the step before. */
    readonly after: number
    readonly act: ActName
    /** Which of the tabs that are still there. */
    readonly tab: number
  }[]
}

export const schedulesFor = (preset: Preset): fc.Arbitrary<Schedule> =>
  fc.record({
    seed: fc.nat(),
    waitOneIn: fc.constantFrom(8, 64, 1_000_000),
    tabs: fc.integer({ min: 1, max: 3 }),
    faults: fc.array(fc.constantFrom(...FAULT_NAMES, ...specialFaults(preset)), { maxLength: 3 }),
    steps: fc.array(
      fc.record({
        after: fc.nat({ max: 30 }),
        act: fc.constantFrom(...actsFor(preset)),
        tab: fc.nat({ max: 5 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })

/**
 * Longer than a submit may take; a page that is offline looks up twice a minute for as long as it is left to.
 */
const MEANWHILE_MS = 60_000

/**
 * A browser that sends a request again by itself may hear a refusal of the second delivery, and a server that promises
 * nothing executes both; without locks two pages may send at once, and a server that does not keep its refusal executes
 * the other: that nobody can know.
 */
function possible(faults: readonly FaultName[], options: ShopOptions): readonly FaultName[] {
  const { preset = PRESETS['idempotencyKey()'], secure = true } = options
  const none = preset.profile.guarantee === 'none'
  const resent = faults.includes('reset-reused') && !none
  return faults.filter(name => {
    if (none && name === 'reset-reused') return false
    const kept = name === '422 stored' && worksBy(preset, 'dedupe')
    return !(resent && /^4\d\d/.test(name)) && (secure || kept || !name.startsWith('422'))
  })
}

/** Runs a schedule to its end, with all tabs awake and the network back. Returns the shop and how it ended. */
export async function follow(
  schedule: Schedule,
  options: ShopOptions = {},
): Promise<{ readonly shop: Shop; readonly ended: string }> {
  const { seed, waitOneIn, tabs, faults, steps } = schedule
  const shop = new Shop({ pick: seeded(seed, waitOneIn), seed, calmTurns: 2, ...options })
  const { world, mock } = shop
  for (const name of possible(faults, options)) strike(name, mock, world)
  for (let n = 0; n < tabs; n += 1) shop.tab().submit()

  const queue = [...steps]
  let due = queue[0]?.after ?? 0
  const act = () => {
    const step = queue.shift()
    if (!step) return
    due = world.trace.length + (queue[0]?.after ?? 0)
    const living = shop.tabs.filter(({ page }) => page.life !== 'dead')
    const tab = living[step.tab % living.length] ?? shop.tab()
    if (NEEDS_LIFE.includes(step.act) && tab.page.life !== 'running') return
    // Back, and ahead again, while a page lies in the cache: nothing that it sees afterwards tells of that.
    if (AHEAD.includes(step.act) && living.some(({ page }) => page.life === 'cached')) return
    ACTS[step.act](shop, tab)
  }
  shop.at = (_, place) => {
    if (queue.length > 0 && place >= due) act()
  }
  await world.settle(MEANWHILE_MS)
  while (queue.length > 0) {
    act()
    await world.settle(MEANWHILE_MS)
  }
  mock.network('up')
  for (const { page } of shop.tabs) {
    if (page.life === 'frozen') page.unfreeze()
    if (page.life === 'cached') page.show()
    if (page.life === 'dead') continue
    page.online()
    page.foreground()
  }
  await world.settle()
  const ended = await shop.close()
  return { shop, ended }
}
