import fc from 'fast-check'
import type { FaultName } from '../faults.ts'
import { FAULT_NAMES, specialFaults, strike } from '../faults.ts'
import type { PresetName } from '../presets.ts'
import { presetOf } from '../presets.ts'
import type { Household, OperationName, Person } from './household.ts'
import { OPERATIONS } from './household.ts'
import type { Tab } from './tab.ts'

/** What is known beside the household: what the next act may be depends on it. */
export interface Situation {
  /** The server has forgotten keys whose time was over. A clock that is set back would bring them to life again. */
  forgotten: boolean
}

/** One thing that people, their computer, the network or the server do. */
interface Act {
  readonly name: string
  /** @default always */
  readonly may?: (situation: Situation, tab: Tab | undefined) => boolean
  readonly run: (house: Household, tab: Tab, situation: Situation) => unknown
}

/** How far things go on before the next act. */
type Pace = { readonly points: number } | { readonly ms: number }

const running = (_: Situation, tab: Tab | undefined) => tab?.page.life === 'running'
const is = (life: Tab['page']['life']) => (_: Situation, tab: Tab | undefined) =>
  tab?.page.life === life

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000

const operations = fc.constantFrom<OperationName>(...OPERATIONS, 'checkout', 'checkout')

const ofOperation = (
  word: string,
  run: (tab: Tab, operation: OperationName) => void,
): fc.Arbitrary<Act> =>
  operations.map(operation => ({
    name: `${word} ${operation}`,
    may: running,
    run: (_, tab) => run(tab, operation),
  }))

const one = (name: string, run: Act['run'], may?: Act['may']): fc.Arbitrary<Act> =>
  fc.constant({ name, run, ...(may && { may }) })

/**
 * What breaks the word of a server when it strikes just anywhere: a browser that sends again by itself to one that knows
 * no keys, and an answer that is not the stored one.
 */
const BREAKS_ITS_WORD: readonly FaultName[] = ['reset-reused', '422 stored']

const actsFor = (name: PresetName): readonly fc.Arbitrary<Act>[] => [
  ofOperation('submit', (tab, operation) => tab.submit(operation)),
  ofOperation('submit', (tab, operation) => tab.submit(operation)),
  ofOperation('click twice on', (tab, operation) => {
    tab.submit(operation)
    tab.submit(operation)
  }),
  ofOperation('submit another body of', (tab, operation) => tab.submit(operation, 'lamp')),
  ofOperation('resume', (tab, operation) => tab.resume(operation)),
  ofOperation('discard', (tab, operation) => tab.discard(operation)),
  ...(presetOf(name).profile.recover
    ? [
        one('recover', (_, tab) => tab.recover(), running),
        one('reload and recover', (house, tab) => house.reload(tab, 'arrives').recover()),
      ]
    : []),
  ...(presetOf(name).profile.token
    ? [
        one('prepare', (_, tab) => tab.prepare(), running),
        one(
          'prepare and submit',
          (_, tab) => {
            tab.prepare()
            tab.submit()
          },
          running,
        ),
        ...specialFaults(presetOf(name)).map(fault =>
          one(`fault ${fault}`, ({ mock, world }) => strike(fault, mock, world)),
        ),
      ]
    : []),
  one('resume all', (_, tab) => tab.resumeAll(), running),
  one('abort', (_, tab) => tab.abort(), running),
  one('open a tab', house => house.open()),
  ...(['lost', 'arrives'] as const).map(inFlight =>
    one(`reload, in flight ${inFlight}`, (house, tab) => house.reload(tab, inFlight)),
  ),
  one('reload and submit', (house, tab) => house.reload(tab, 'arrives').submit()),
  one('reload and resume all', (house, tab) => house.reload(tab, 'arrives').resumeAll()),
  one('kill', (_, tab) => tab.page.kill()),
  one('freeze', (_, tab) => tab.page.freeze(), running),
  one('unfreeze', (_, tab) => tab.page.unfreeze(), is('frozen')),
  one('hide', (_, tab) => tab.page.hide(), running),
  one('show', (_, tab) => tab.page.show(), is('cached')),
  one('background', (_, tab) => tab.page.background(), running),
  one('foreground', (_, tab) => tab.page.foreground(), running),
  one('offline', (_, tab) => tab.page.offline()),
  one('online', (_, tab) => tab.page.online()),
  ...(['ada', 'bob', null] satisfies (Person | null)[]).map(person =>
    one(`sign in as ${person}`, house => house.signIn(person)),
  ),
  one(
    'forget and sign out',
    (house, tab) => {
      tab.forget()
      house.signIn(null)
    },
    running,
  ),
  one('forget', (_, tab) => tab.forget(), running),
  // How long ago the last request left is told by the clock on the wall, where pages come and go.
  ...(presetOf(name).profile.settleMs === undefined ? [2 * SECOND, HOUR] : []).map(ms =>
    one(`clock ${ms} ms ahead`, house => house.jump(ms)),
  ),
  ...[2 * SECOND, HOUR].map(ms =>
    one(
      `clock ${ms} ms behind`,
      house => house.jump(-ms),
      ({ forgotten }) => !forgotten,
    ),
  ),
  one('network down', ({ mock }) => mock.network('down')),
  one('network up', ({ mock }) => mock.network('up')),
  one('the server forgets its keys', async (house, _, situation) => {
    if (await house.forgetKeys()) situation.forgotten = true
  }),
  ...Array.from({ length: 4 }, () =>
    fc
      .constantFrom(...FAULT_NAMES.filter(fault => !BREAKS_ITS_WORD.includes(fault)))
      .map(fault => ({
        name: `fault ${fault}`,
        run: ({ mock, world }: Household) => strike(fault, mock, world),
      })),
  ),
]

const paces: fc.Arbitrary<Pace> = fc.oneof(
  { arbitrary: fc.nat({ max: 40 }).map(points => ({ points })), weight: 5 },
  {
    arbitrary: fc
      .constantFrom(100, 2 * SECOND, MINUTE, 11 * MINUTE, 21 * MINUTE)
      .map(ms => ({ ms })),
    weight: 2,
  },
)

/** An act on one of the tabs, and how far things go on after it. */
class Command implements fc.AsyncCommand<Situation, Household> {
  readonly #act: Act
  readonly #tab: number
  readonly #pace: Pace

  constructor(act: Act, tab: number, pace: Pace) {
    this.#act = act
    this.#tab = tab
    this.#pace = pace
  }

  check(): boolean {
    return true
  }

  async run(situation: Situation, house: Household): Promise<void> {
    const { living } = house
    const tab = living[this.#tab % living.length] ?? house.open()
    const { may } = this.#act
    if (!may || may(situation, tab)) await this.#act.run(house, tab, situation)
    await goOn(house, this.#pace)
    house.check()
    const [accusation] = house.accusations
    if (accusation) throw new Error(`${accusation.invariant}: ${accusation.because}`)
  }

  toString(): string {
    const pace = 'ms' in this.#pace ? `${this.#pace.ms} ms` : `${this.#pace.points} points`
    return `${this.#act.name} (tab ${this.#tab}), ${pace}`
  }
}

async function goOn({ world }: Household, pace: Pace): Promise<void> {
  if ('ms' in pace) return world.wait(pace.ms)
  const place = world.trace.length + pace.points
  let over = false
  const stop = world.timer(MINUTE, () => {
    over = true
  })
  await world.run(() => over || world.trace.length >= place)
  stop()
}

export const commandsFor = (
  name: PresetName,
): fc.Arbitrary<Iterable<fc.AsyncCommand<Situation, Household>>> =>
  fc.commands(
    actsFor(name).map(act =>
      fc.tuple(act, fc.nat({ max: 3 }), paces).map(parts => new Command(...parts)),
    ),
    { maxCommands: 30, size: 'max' },
  )
