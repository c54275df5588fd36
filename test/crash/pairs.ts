import { randomFrom } from '../support/world/pick.ts'
import type { FaultName } from './faults.ts'
import { strike } from './faults.ts'
import type { Interruption, Plan, Run, Strike } from './interrupt.ts'
import { CALM_TURNS, interrupt, STANDSTILL_MS } from './interrupt.ts'
import { seedFor, seedOf } from './seed.ts'
import type { ShopOptions } from './shop.ts'
import { Shop } from './shop.ts'
import { Tally } from './tally.ts'

/** What pairs of strikes are drawn from. */
export interface Drawn extends Pick<Plan, 'shop' | 'where'> {
  readonly faults: readonly FaultName[]
  readonly interruptions: readonly Interruption[]
}

/** The points of a run that a pair of strikes may hit: longer than most runs are. */
const PLACES = 80

/** Runs of two tabs that are interrupted twice, by a seed that is printed and `SEED` sets. Returns what went wrong. */
export async function strikePairs(drawn: Drawn, runs: number): Promise<readonly string[]> {
  const seed = seedOf()
  const random = randomFrom(seedFor(drawn.where ?? '', seed))
  const pick = (below: number) => Math.floor(random() * below)
  const oneOf = <T>(of: readonly T[]): T => of[pick(of.length)] as T
  const tally = new Tally(`pairs, ${drawn.where}, seed ${seed}`)
  const wrong: string[] = []
  for (let run = 0; run < runs; run += 1) {
    const fault = oneOf(drawn.faults)
    const strikes = [pick(PLACES), pick(PLACES)]
      .sort((a, b) => a - b)
      .map(place => ({
        place,
        inFlight: oneOf(['lost', 'arrives'] as const),
        interruption: oneOf(drawn.interruptions),
      }))
    const { ended, violations } = await playTwice(fault, strikes, drawn.shop?.() ?? {})
    tally.run(ended, violations)
    const told = `${fault}, ${JSON.stringify(strikes)}`
    wrong.push(...violations.map(each => `${told}: ${each.invariant}: ${each.because}`))
  }
  tally.print()
  return wrong
}

async function playTwice(
  fault: FaultName,
  strikes: readonly (Strike & { readonly interruption: Interruption })[],
  options: ShopOptions,
): Promise<Pick<Run, 'ended' | 'violations'>> {
  const shop = new Shop({ calmTurns: CALM_TURNS, ...options })
  const { world, mock, witness } = shop
  strike(fault, mock, world)
  const left = [...strikes]
  shop.at = (point, place) => {
    const [next] = left
    if (!next || place < next.place || shop.tabOf(point.page)?.page.life !== 'running') return
    left.shift()
    world.timer(STANDSTILL_MS, interrupt(shop, point, next.interruption, next))
  }
  for (const tab of [shop.tab(), shop.tab()]) tab.submit()
  await world.settle()
  shop.at = undefined
  const ended = await shop.close()
  return { ended, violations: witness.violations }
}
