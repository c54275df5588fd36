import { launchChromium } from '../../browser/driver/chromium.ts'
import { ensureChromium } from '../../support/chromium.ts'
import type { Sample } from '../peers/contract.ts'
import type { Arm } from './arms.ts'
import { pathOf } from './arms.ts'
import type { Shop } from './shop.ts'

/** As in the comparison with the floor: nothing of one submit may fall into the next. */
const PAUSE_MS = 120
/** The first runs are of code that is not compiled yet. */
const WARM_UP_ROUNDS = 15
/** The driver gives up on a page that has not answered for a minute. */
const ROUNDS_AT_ONCE = 10

/** Milliseconds since the call, run by run. Runs of the same place were made next to each other. */
export interface Times {
  /** Until the server had the head of the request. */
  readonly seen: readonly number[]
  /** Until the library said that it was ordered. */
  readonly settled: readonly number[]
}

/** A second copy of an arm: what two equal arms differ by is what the machine adds. */
export const againOf = (path: string): string => `${path}-again`

/** All timed arms in turn, in one page, by their paths. */
export async function timesOf(
  arms: readonly Arm[],
  twice: Arm,
  shop: Shop,
  rounds: number,
): Promise<ReadonlyMap<string, Times>> {
  const paths = [...arms.map(pathOf), againOf(pathOf(twice))]
  for (const path of paths) shop.stall(path).weather = { keepAlive: true }
  const browser = await launchChromium({ executablePath: ensureChromium() })
  try {
    const tab = await browser.newTab(`${shop.origin}/times/`)
    await tab.waitFor(() => 'times' in window)
    await tab.cdp.send('Performance.enable')
    const { metrics } = await tab.cdp.send('Performance.getMetrics')
    // The clock of the page begins here; Chromium and Node read the same monotonic clock.
    const originMs = 1_000 * (metrics.find(({ name }) => name === 'NavigationStart')?.value ?? 0)
    const run = (rounds: number): Promise<readonly Sample[]> =>
      tab.evaluate(
        (paths, rounds, pauseMs) => window.times(paths, rounds, pauseMs),
        paths,
        rounds,
        PAUSE_MS,
      )
    await run(WARM_UP_ROUNDS)
    const samples: Sample[] = []
    for (let left = rounds; left > 0; left -= ROUNDS_AT_ONCE)
      samples.push(...(await run(Math.min(left, ROUNDS_AT_ONCE))))
    return new Map(
      paths.map(path => {
        const own = samples.filter(({ arm }) => arm === path)
        const { arrivals } = shop.stall(path)
        const seen = own.map(({ cart, fromMs, tookMs }) => {
          const atMs = arrivals.find(arrival => arrival.cart === cart)?.atMs ?? Number.NaN
          const sinceMs = atMs - originMs - fromMs
          if (!(sinceMs > 0 && sinceMs < tookMs))
            throw new Error(`Seen after ${sinceMs} of ${tookMs} ms: the two clocks are not one.`)
          return sinceMs
        })
        return [path, { seen, settled: own.map(({ tookMs }) => tookMs) }]
      }),
    )
  } finally {
    await browser.close()
  }
}
