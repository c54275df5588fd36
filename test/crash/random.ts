import fc from 'fast-check'
import { expect } from 'vitest'
import { PRESETS } from './presets.ts'
import { follow, schedulesFor } from './schedule.ts'
import { seedFor, seedOf } from './seed.ts'
import type { ShopOptions } from './shop.ts'
import { Tally } from './tally.ts'

/** So many times more in the long run. */
const LONG = process.env.LONG ? 50 : 1

/** Follows random schedules, from a seed that it prints and `SEED` sets. Returns how often each ending came about. */
export async function expectNoViolation(
  runs: number,
  where: string,
  options: ShopOptions = {},
): Promise<ReadonlyMap<string, number>> {
  const seed = seedOf()
  const tally = new Tally(`random schedules, ${where}, seed ${seed}`)
  try {
    await fc.assert(
      fc.asyncProperty(
        schedulesFor(options.preset ?? PRESETS['idempotencyKey()']),
        async schedule => {
          const { shop, ended } = await follow(schedule, options)
          const { violations } = shop.witness
          tally.run(ended, violations)
          expect(violations).toEqual([])
        },
      ),
      { numRuns: runs * LONG, seed: seedFor(where, seed) },
    )
    return tally.outcomes
  } finally {
    tally.print()
  }
}
