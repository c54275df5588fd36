import fc from 'fast-check'
import { expect } from 'vitest'
import { follow, schedules } from './schedule.ts'
import type { ShopOptions } from './shop.ts'
import { Tally } from './tally.ts'

/** So many times more in the long run. */
const LONG = process.env.LONG ? 50 : 1

/** Follows random schedules, from a seed that it prints and `SEED` sets. */
export async function expectNoViolation(
  runs: number,
  where: string,
  options: ShopOptions = {},
): Promise<void> {
  const seed = Number(process.env.SEED ?? (process.env.LONG ? Date.now() : 1))
  const tally = new Tally(`random schedules, ${where}, seed ${seed}`)
  try {
    await fc.assert(
      fc.asyncProperty(schedules, async schedule => {
        const { shop, ended } = await follow(schedule, options)
        const { violations } = shop.witness
        tally.run(ended, violations)
        expect(violations).toEqual([])
      }),
      { numRuns: runs * LONG, seed },
    )
  } finally {
    tally.print()
  }
}
