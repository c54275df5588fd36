import { it } from 'vitest'
import { openLab } from './lab.ts'
import type { Mark } from './page/profile.ts'
import { median } from './statistics.ts'

const ROUNDS = 200
const WARM_UP_ROUNDS = 20
/** As in the comparison: nothing of one submit may fall into the next. */
const PAUSE_MS = 120

it('says when a submit reaches each step', async () => {
  const lab = await openLab('profile')
  try {
    const run = (rounds: number): Promise<readonly (readonly Mark[])[]> =>
      lab.tab.evaluate((rounds, pauseMs) => window.profile(rounds, pauseMs), rounds, PAUSE_MS)
    await run(WARM_UP_ROUNDS)
    const marks = (await run(ROUNDS)).flat()
    const steps = [...new Set(marks.map(([step]) => step))]
    const rows = steps.map(step => {
      const times = marks.filter(([name]) => name === step).map(([, atMs]) => atMs)
      return [step, median(times)] as const
    })
    for (const [step, atMs] of rows.sort((one, other) => one[1] - other[1])) {
      console.log(`${atMs.toFixed(2).padStart(8)} ms  ${step}`)
    }
  } finally {
    await lab.close()
  }
})
