import { it } from 'vitest'
import { openLab } from './lab.ts'
import type { Marks } from './page/profile.ts'
import { median } from './statistics.ts'

const ROUNDS = 200
const WARM_UP_ROUNDS = 20
/** As in the comparison: nothing of one submit may fall into the next. */
const PAUSE_MS = 120

it('says when a submit reaches each step, beside the floor', async () => {
  const lab = await openLab('profile')
  try {
    const run = (rounds: number): Promise<Marks> =>
      lab.tab.evaluate((rounds, pauseMs) => window.profile(rounds, pauseMs), rounds, PAUSE_MS)
    await run(WARM_UP_ROUNDS)
    const taken = await run(ROUNDS)
    const at = (arm: keyof Marks, step: string) =>
      median(
        taken[arm]
          .flat()
          .filter(([name]) => name === step)
          .map(([, atMs]) => atMs),
      )
    const steps = [...new Set(taken.sendonce.flat().map(([step]) => step))]
    console.log('sendonce       floor')
    for (const step of steps) {
      const times = [at('sendonce', step), at('floor', step)]
      console.log(`${times.map(atMs => `${atMs.toFixed(2).padStart(8)} ms`).join(' ')}  ${step}`)
    }
  } finally {
    await lab.close()
  }
})
