import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import { createIndexedDbStore } from '../../src/store/indexed-db.ts'
import type { Violation } from '../support/invariants.ts'
import type { Point } from '../support/world/agenda.ts'
import type { FaultName } from './faults.ts'
import { FAULTS } from './faults.ts'
import type { ShopOptions } from './shop.ts'
import { Shop } from './shop.ts'
import type { Tally } from './tally.ts'

/** What happens to a page at one point of its run. */
export type Act = 'kill' | 'freeze' | 'hide'

export interface Plan {
  readonly fault: FaultName
  /** How many tabs submit the same at once. */
  readonly tabs: number
  /** One more tab that was open from the start submits the same after the interruption. @default false */
  readonly late?: boolean
  readonly act: Act
  /** What the page does that comes after a killed one. */
  readonly then?: 'resume' | 'submit' | 'both'
  readonly shop?: ShopOptions
}

/** Where a plan strikes; what the killed page had just handed over is lost, or arrives. */
export interface Strike {
  readonly place: number
  readonly inFlight: 'lost' | 'arrives'
}

export interface Run {
  readonly trace: readonly Point[]
  readonly violations: readonly Violation[]
  /** How the operation ended. */
  readonly ended: string
}

/** Longer than a lease, shorter than a turn: the others take over while the page stands still. */
const STANDSTILL_MS = 3_000

/** Two turns of the event loop are the least that IndexedDB in Node was seen to need; see the test of the harness. */
const CALM_TURNS = 2

/** One run from the first click to the end; without a strike nothing interrupts it. */
export async function play(plan: Plan, strike?: Strike): Promise<Run> {
  const { fault, tabs, late = false, act, then = 'both' } = plan
  globalThis.indexedDB = new IDBFactory()
  const shop = new Shop({
    calmTurns: CALM_TURNS,
    openStore: () => createIndexedDbStore('strict'),
    ...plan.shop,
  })
  const { world, mock, witness } = shop
  FAULTS[fault](mock, world)
  let struck = strike === undefined
  let wake = () => {}
  shop.at = (point, place) => {
    if (place !== strike?.place) return
    struck = true
    const tab = shop.tabOf(point.page)
    if (!tab) return
    const { page } = tab
    if (act === 'freeze') {
      page.freeze()
      wake = () => page.unfreeze()
    } else if (act === 'hide') {
      page.hide()
      wake = () => page.show()
    } else {
      const next = shop.reload(tab, strike.inFlight)
      if (then !== 'submit') next.resumeAll()
      if (then !== 'resume') next.submit()
    }
  }
  const first = Array.from({ length: tabs }, () => shop.tab())
  const last = late ? shop.tab() : undefined
  for (const tab of first) tab.submit()
  await (strike ? world.run(() => struck) : world.settle())
  const trace = [...world.trace]
  last?.submit()
  if (strike && act !== 'kill') {
    await world.wait(STANDSTILL_MS)
    wake()
  }
  await world.settle()
  const ended = await shop.close()
  return { trace, violations: witness.violations, ended }
}

/** The kinds of points at which something has just been handed over: it may be lost with its page, or not. */
const HANDED_OVER: readonly Point['kind'][] = ['store', 'send']

/** Every run of a plan that is interrupted at one point; counts them, and fails at the first violation. */
export async function strikeEverywhere(plan: Plan, tally: Tally): Promise<void> {
  const quiet = await play(plan)
  judge(plan, undefined, quiet)
  tally.run(quiet.ended)
  for (const [place, point] of quiet.trace.entries()) {
    if (point.page === 'server') continue
    tally.point()
    const fates =
      plan.act === 'kill' && HANDED_OVER.includes(point.kind)
        ? (['lost', 'arrives'] as const)
        : (['lost'] as const)
    for (const inFlight of fates) {
      const strike = { place, inFlight }
      const run = await play(plan, strike)
      tally.run(run.ended)
      judge(plan, strike, run)
    }
  }
}

function judge(plan: Plan, strike: Strike | undefined, run: Run): void {
  const [violation] = run.violations
  if (!violation) return
  const { shop: _shop, ...named } = plan
  const point = strike && run.trace.at(-1)
  const where = point ? ` at ${point.page} ${point.kind} ${point.n}` : ''
  throw new Error(
    `${violation.invariant}: ${violation.because}\nplay(${JSON.stringify(named)}, ${JSON.stringify(strike)})${where}`,
  )
}
