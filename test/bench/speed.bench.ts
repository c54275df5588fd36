import { expect, it } from 'vitest'
import type { ChromiumTab } from '../browser/driver/chromium-only.ts'
import { openLab } from './lab.ts'
import type { Arm } from './page/arms.ts'
import { median, ratioOfMedians } from './statistics.ts'

/** `submit` to settled may take this much of what the floor takes. */
const MOST = 1.15
/** Two equal arms that differ by more than this say that the machine is too noisy to say anything. */
const QUIET = { from: 0.97, to: 1.03 }
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 800)
/** The first runs are of code that is not compiled yet. */
const WARM_UP_ROUNDS = 30
/** Longer than the 100 ms after which a page writes down that it has shown a success. */
const PAUSE_MS = 120
/** The driver gives up on a page that has not answered for a minute. */
const ROUNDS_AT_ONCE = 50

it(`takes at most ${MOST} times what one strict write and one call of ky take`, async () => {
  const lab = await openLab('arms')
  try {
    await run(lab.tab, WARM_UP_ROUNDS)
    const took = await run(lab.tab, ROUNDS)
    const p50 = (arm: Arm) => `${median(took[arm]).toFixed(2)} ms`
    const same = ratioOfMedians(took.again, took.floor)
    const { ratio, low, high } = ratioOfMedians(took.sendonce, took.floor)
    console.log(`
p50 of ${ROUNDS} runs each
  sendonce, submit to settled   ${p50('sendonce')}
  floor: strict set, then ky    ${p50('floor')}
  floor again                   ${p50('again')}
  bare fetch                    ${p50('fetch')}
sendonce / floor  ${ratio.toFixed(3)}  (95 %: ${low.toFixed(3)} to ${high.toFixed(3)}; at most ${MOST})
floor / floor     ${same.ratio.toFixed(3)}`)
    if (same.ratio < QUIET.from || same.ratio > QUIET.to) return console.log('too noisy')
    expect(low).toBeLessThanOrEqual(MOST)
  } finally {
    await lab.close()
  }
})

async function run(tab: ChromiumTab, rounds: number): Promise<Record<Arm, number[]>> {
  const took: Record<Arm, number[]> = { sendonce: [], floor: [], again: [], fetch: [] }
  for (let left = rounds; left > 0; left -= ROUNDS_AT_ONCE) {
    const few = Math.min(left, ROUNDS_AT_ONCE)
    const some = await tab.evaluate((few, pauseMs) => window.bench(few, pauseMs), few, PAUSE_MS)
    for (const arm of Object.keys(took) as Arm[]) took[arm].push(...some[arm])
  }
  return took
}
