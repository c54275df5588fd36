import { expect, it } from 'vitest'
import type { ChromiumTab } from '../browser/driver/chromium-only.ts'
import { openLab } from './lab.ts'
import type { Store } from './page/scale.ts'
import { median, ratioOfMedians } from './statistics.ts'

/** `submit` among ten thousand records may take this much of what it takes in an empty store. */
const MOST = 1.1
/** Two equal arms that differ by more than this say that the machine is too noisy to say anything. */
const QUIET = { from: 0.97, to: 1.03 }
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 400)
const FEW = 1_000
const MANY = 10_000
const LISTS = 11
/** The first runs are of code that is not compiled yet. */
const WARM_UP_ROUNDS = 30
/** Longer than the 100 ms after which a page writes down that it has shown a success. */
const PAUSE_MS = 120
/** The driver gives up on a page that has not answered for a minute. */
const ROUNDS_AT_ONCE = 50

it(`submits among ${MANY} records in at most ${MOST} times what it takes in an empty store`, async () => {
  const lab = await openLab('scale')
  const { tab } = lab
  try {
    await leave(tab, FEW)
    const few = median(await list(tab))
    await leave(tab, MANY - FEW)
    const many = median(await list(tab))
    await run(tab, WARM_UP_ROUNDS)
    const took = await run(tab, ROUNDS)
    const same = ratioOfMedians(took.again, took.empty)
    const { ratio, low, high } = ratioOfMedians(took.full, took.empty)
    console.log(`
p50 of ${ROUNDS} runs each
  submit to settled, ${MANY} records  ${median(took.full).toFixed(2)} ms
  submit to settled, none            ${median(took.empty).toFixed(2)} ms
full / empty   ${ratio.toFixed(3)}  (95 %: ${low.toFixed(3)} to ${high.toFixed(3)}; at most ${MOST})
empty / empty  ${same.ratio.toFixed(3)}
unsettled(), a record: ${((few / FEW) * 1_000).toFixed(1)} µs of ${FEW}, ${((many / MANY) * 1_000).toFixed(1)} µs of ${MANY}`)
    if (same.ratio < QUIET.from || same.ratio > QUIET.to) return console.log('too noisy')
    expect(low).toBeLessThanOrEqual(MOST)
  } finally {
    await lab.close()
  }
})

async function leave(tab: ChromiumTab, count: number): Promise<void> {
  for (let left = count; left > 0; left -= FEW) {
    await tab.evaluate(few => window.scale.leave(few), Math.min(left, FEW))
  }
}

function list(tab: ChromiumTab): Promise<readonly number[]> {
  return tab.evaluate(times => window.scale.list(times), LISTS)
}

async function run(tab: ChromiumTab, rounds: number): Promise<Record<Store, number[]>> {
  const took: Record<Store, number[]> = { full: [], empty: [], again: [] }
  for (let left = rounds; left > 0; left -= ROUNDS_AT_ONCE) {
    const few = Math.min(left, ROUNDS_AT_ONCE)
    const some = await tab.evaluate((few, pauseMs) => window.scale.run(few, pauseMs), few, PAUSE_MS)
    for (const store of Object.keys(took) as Store[]) took[store].push(...some[store])
  }
  return took
}
