import fc from 'fast-check'
import { expect } from 'vitest'
import { seeded } from '../../support/world/pick.ts'
import type { PresetName } from '../presets.ts'
import { seedFor, seedOf } from '../seed.ts'
import { Tally } from '../tally.ts'
import { commandsFor } from './acts.ts'
import { Household } from './household.ts'

const runsWith = (preset: PresetName) =>
  fc.record({
    /** Of the order in which points go on. */
    seed: fc.nat(),
    /** One in so many choices lets time pass although something could go on. */
    waitOneIn: fc.constantFrom(8, 64, 1_000_000),
    /** False: plain http, without Web Locks. */
    secure: fc.constantFrom(true, true, true, false),
    acts: commandsFor(preset),
  })

/** Lets households live, from a seed that is printed and `SEED` sets. Returns how operations ended. */
export async function live(preset: PresetName, numRuns: number): Promise<readonly string[]> {
  const base = seedOf()
  const tally = new Tally(`model, ${preset}, seed ${base}`)
  try {
    await fc.assert(
      fc.asyncProperty(runsWith(preset), async ({ seed, waitOneIn, secure, acts }) => {
        const house = new Household({ pick: seeded(seed, waitOneIn), seed, secure, preset })
        house.open().submit()
        await fc.asyncModelRun(() => ({ model: { forgotten: false }, real: house }), acts)
        const ends = await house.close()
        tally.run(ends.join(' and ') || 'nothing', house.accusations)
        expect(house.accusations).toEqual([])
      }),
      { numRuns, seed: seedFor(preset, base) },
    )
  } finally {
    tally.print()
  }
  return [...tally.outcomes.keys()]
}
