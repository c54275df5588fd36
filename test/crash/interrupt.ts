import type { Violation } from '../support/invariants.ts'
import type { Point } from '../support/world/agenda.ts'
import type { FaultName } from './faults.ts'
import { strike } from './faults.ts'
import type { ShopOptions } from './shop.ts'
import { Shop } from './shop.ts'
import { Tally } from './tally.ts'

/** What becomes of a page at one point of its run. */
export interface Interruption {
  readonly act: 'kill' | 'freeze' | 'hide'
  /** What the page does that comes after a killed one. */
  readonly then?: 'resume' | 'recover' | 'submit' | 'both'
}

export const KILL_AND_RESUME: Interruption = { act: 'kill', then: 'resume' }
export const KILL_AND_SUBMIT: Interruption = { act: 'kill', then: 'submit' }
export const KILL_AND_RECOVER: Interruption = { act: 'kill', then: 'recover' }
export const KILL_AND_BOTH: Interruption = { act: 'kill', then: 'both' }
export const FREEZE: Interruption = { act: 'freeze' }
export const HIDE: Interruption = { act: 'hide' }

export interface Plan {
  readonly fault: FaultName
  /** How many tabs submit the same at once. */
  readonly tabs: number
  /** One more tab that was open from the start submits the same after the interruption. @default false */
  readonly late?: boolean
  readonly interruption: Interruption
  /** Made anew for each run. */
  readonly shop?: () => ShopOptions
  /** What is special about the shop, for the reader. */
  readonly where?: string
}

/** Where a plan strikes; what the killed page had just handed over is lost, or arrives. */
export interface Strike {
  readonly place: number
  readonly inFlight: 'lost' | 'arrives'
}

export interface Run {
  /** The points up to the strike, or all. */
  readonly trace: readonly Point[]
  readonly violations: readonly Violation[]
  /** How the operation ended. */
  readonly ended: string
  /** Orders placed, and requests that came to the server. */
  readonly orders: number
  readonly requests: number
}

/** Longer than a lease, shorter than a turn: the others take over while the page stands still. */
export const STANDSTILL_MS = 3_000

/** The least that a store on IndexedDB needs in Node, see `harness.test.ts`; half the time of the world's own figure. */
export const CALM_TURNS = 2

/** One run from the first click to the end; without a strike nothing interrupts it. */
export async function play(plan: Plan, at?: Strike): Promise<Run> {
  const { fault, tabs, late = false, interruption } = plan
  const shop = new Shop({ calmTurns: CALM_TURNS, ...plan.shop?.() })
  const { world, mock, witness } = shop
  strike(fault, mock, world)
  let wake = () => {}
  let struck = at === undefined
  shop.at = (point, place) => {
    if (place !== at?.place) return
    struck = true
    wake = interrupt(shop, point, interruption, at)
  }
  const first = Array.from({ length: tabs }, () => shop.tab())
  const last = late ? shop.tab() : undefined
  for (const tab of first) tab.submit()
  await (at ? world.run(() => struck) : world.settle())
  const trace = [...world.trace]
  last?.submit()
  if (at && interruption.act !== 'kill') {
    await world.wait(STANDSTILL_MS)
    wake()
  }
  await world.settle()
  const [orders, requests] = [mock.ledger().length, mock.log().length]
  const ended = await shop.close()
  return { trace, violations: witness.violations, ended, orders, requests }
}

/** Strikes the page of a point. Returns what wakes it again. */
export function interrupt(
  shop: Shop,
  point: Point,
  interruption: Interruption,
  { inFlight }: Strike,
): () => void {
  const tab = shop.tabOf(point.page)
  if (!tab) return () => {}
  const { page } = tab
  if (interruption.act === 'freeze') {
    page.freeze()
    return () => page.unfreeze()
  }
  if (interruption.act === 'hide') {
    page.hide()
    return () => page.show()
  }
  const next = shop.reload(tab, inFlight)
  const { then } = interruption
  if (then === 'resume' || then === 'both') next.resumeAll()
  if (then === 'recover') next.recover()
  if (then === 'submit' || then === 'both') next.submit()
  return () => {}
}

/** The kinds of points at which something has just been handed over: it may be lost with its page, or not. */
const HANDED_OVER: readonly Point['kind'][] = ['store', 'send']

/** Which points of a plan are struck: all, or each `every`th from the `first`. */
export interface Thinned {
  readonly every: number
  readonly first: number
}

const ALL: Thinned = { every: 1, first: 0 }

/** Every run of a plan that is interrupted at one point. Prints the counts, and returns what went wrong. */
export async function strikeEverywhere(
  plan: Plan,
  { every, first }: Thinned = ALL,
): Promise<readonly string[]> {
  const tally = new Tally(nameOf(plan))
  const quiet = await play(plan)
  tally.run(quiet.ended, quiet.violations)
  const wrong = quiet.violations.map(violation => tellOf(plan, undefined, violation))
  for (const [place, point] of quiet.trace.entries()) {
    if (point.page === 'server' || (place - first) % every !== 0) continue
    tally.point()
    for (const inFlight of fates(plan, point)) {
      const strike = { place, inFlight }
      const run = await play(plan, strike)
      tally.run(run.ended, run.violations)
      if (pointName(run.trace[place]) !== pointName(point)) {
        wrong.push(
          `${pointName(run.trace[place])} came in place of ${pointName(point)}: not the same run`,
        )
      }
      wrong.push(...run.violations.map(violation => tellOf(plan, strike, violation)))
    }
  }
  tally.print()
  return wrong
}

function fates({ interruption }: Plan, { kind }: Point): readonly Strike['inFlight'][] {
  return interruption.act === 'kill' && HANDED_OVER.includes(kind) ? ['lost', 'arrives'] : ['lost']
}

function nameOf({ fault, tabs, late, interruption: { act, then }, where }: Plan): string {
  const how = then ? `${act} and ${then}` : act
  const who = `${tabs} ${tabs === 1 ? 'tab' : 'tabs'}${late ? ' and a late one' : ''}`
  return [fault, who, how, ...(where ? [where] : [])].join(', ')
}

function pointName(point: Point | undefined): string {
  return point ? `${point.page} ${point.kind} ${point.n}` : 'nothing'
}

function tellOf(plan: Plan, strike: Strike | undefined, violation: Violation): string {
  const where = strike ? `${strike.place} (${strike.inFlight})` : 'nowhere'
  return `${nameOf(plan)} at ${where}: ${violation.invariant}: ${violation.because}`
}
