import fc from 'fast-check'
import { expect, it } from 'vitest'
import { follow, schedules } from './schedule.ts'
import { Tally } from './tally.ts'

const RUNS = process.env.LONG ? 100_000 : 2_000

it(`${RUNS} random schedules break no invariant`, async () => {
  const seed = Number(process.env.SEED ?? Date.now())
  const tally = new Tally(`random schedules, seed ${seed}`)
  try {
    await fc.assert(
      fc.asyncProperty(schedules, async schedule => {
        const { shop, ended } = await follow(schedule)
        tally.run(ended)
        expect(shop.witness.violations).toEqual([])
      }),
      { numRuns: RUNS, seed },
    )
  } finally {
    tally.print()
  }
})
