import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seeded } from '../support/world/pick.ts'
import type { Situation } from './model/acts.ts'
import { commands } from './model/acts.ts'
import { Household } from './model/household.ts'
import { Tally } from './tally.ts'

const RUNS = Number(process.env.RUNS ?? (process.env.LONG ? 20_000 : 1_000))

it(`${RUNS} households break no invariant, whatever people, clocks and the server do`, async () => {
  const seed = Number(process.env.SEED ?? Date.now())
  const tally = new Tally(`model, seed ${seed}`)
  const outcomes = new Map<string, number>()
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const runs = fc.record({
    seed: fc.nat(),
    waitOneIn: fc.constantFrom(8, 64, 1_000_000),
    secure: fc.constantFrom(true, true, true, false),
    acts: commands,
  })
  try {
    await fc.assert(
      fc.asyncProperty(runs, async ({ seed, waitOneIn, secure, acts }) => {
        const house = new Household({ pick: seeded(seed, waitOneIn), seed, secure })
        house.open()
        const model: Situation = { forgotten: false }
        await fc.asyncModelRun(() => ({ model, real: house }), acts)
        for (const end of await house.close()) {
          count(end)
          tally.run(end)
        }
        expect(house.accusations).toEqual([])
      }),
      { numRuns: RUNS, seed },
    )
  } finally {
    tally.print()
  }
  const states = [...outcomes.keys()].map(outcome => outcome.split(':')[0])
  expect(states).toEqual(expect.arrayContaining(['succeeded', 'refused', 'paused', 'unknown']))
})
