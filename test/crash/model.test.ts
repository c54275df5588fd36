import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seeded } from '../support/world/pick.ts'
import { commands } from './model/acts.ts'
import { Household } from './model/household.ts'

const RUNS = process.env.LONG ? 20_000 : 1_000

const runs = fc.record({
  /** Of the order in which points go on. */
  seed: fc.nat(),
  /** One in so many choices lets time pass although something could go on. */
  waitOneIn: fc.constantFrom(8, 64, 1_000_000),
  /** False: plain http, without Web Locks. */
  secure: fc.constantFrom(true, true, true, false),
  acts: commands,
})

it(`${RUNS} households break no invariant, whatever people, clocks and the server do`, async () => {
  const seed = Number(process.env.SEED ?? (process.env.LONG ? Date.now() : 1))
  const ends = new Map<string, number>()
  try {
    await fc.assert(
      fc.asyncProperty(runs, async ({ seed, waitOneIn, secure, acts }) => {
        const house = new Household({ pick: seeded(seed, waitOneIn), seed, secure })
        house.open().submit()
        await fc.asyncModelRun(() => ({ model: { forgotten: false }, real: house }), acts)
        for (const end of await house.close()) ends.set(end, (ends.get(end) ?? 0) + 1)
        expect(house.accusations).toEqual([])
      }),
      { numRuns: RUNS, seed },
    )
  } finally {
    const counted = [...ends].sort((a, b) => b[1] - a[1]).map(([end, count]) => `${count} ${end}`)
    console.log(`model, SEED=${seed}: ${RUNS} runs; operations ended ${counted.join(', ')}`)
  }
  const states = [...ends.keys()].map(end => end.split(':')[0])
  for (const state of ['succeeded', 'refused', 'paused', 'unknown']) expect(states).toContain(state)
})
