import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seeded } from '../support/world/pick.ts'
import { commandsFor } from './model/acts.ts'
import { Household } from './model/household.ts'
import type { PresetName } from './presets.ts'
import { PRESET_NAMES } from './presets.ts'
import { seedFor, seedOf } from './seed.ts'
import { Tally } from './tally.ts'

/** Of a server that stores its answers by key, and of each of the others. */
const [RUNS, RUNS_EACH] = process.env.LONG ? [20_000, 2_000] : [600, 30]

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
async function live(preset: PresetName, numRuns: number): Promise<readonly string[]> {
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

it(`${RUNS} households break no invariant, whatever people, clocks and the server do`, async () => {
  const ends = (await live('idempotencyKey()', RUNS)).join()
  for (const state of ['succeeded', 'refused', 'paused', 'unknown']) expect(ends).toContain(state)
})

it.each(PRESET_NAMES.filter(name => name !== 'idempotencyKey()'))('nor with %s', async preset => {
  await live(preset, RUNS_EACH)
})
