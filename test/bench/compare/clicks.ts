import { setTimeout as pause } from 'node:timers/promises'
import { shuffled } from '../shuffled.ts'
import type { Booth } from './booth.ts'

/** Somewhat slower than the machine: a cheap phone. */
const SLOWER = 6
/** From the release of the first click to the press of the second. */
const GAP_MS = 50
/** An order takes the server so long: the second click meets the first one's work. */
const WORK_MS = 300
/** By then a slow page has sent what it will. */
const SENT_BY_MS = 600
const QUIET_MS = 2_000

export interface Clicks {
  readonly requests: number
  readonly effects: number
}

/** Two clicks on the button of each arm, one arm after the other, in an order drawn by lot. */
export async function twoClicks(
  booths: readonly Booth[],
  cart: number,
): Promise<ReadonlyMap<Booth, Clicks>> {
  await Promise.all(
    booths.map(async booth => {
      booth.stall.weather = { workMs: WORK_MS }
      await booth.visit(cart)
      await booth.tab.evaluate(cart => window.fillIn(cart), cart)
    }),
  )
  for (const { tab } of shuffled(booths)) {
    await tab.throttleCpu(SLOWER)
    await tab.click('button', { times: 2, gapMs: GAP_MS })
    await pause(SENT_BY_MS)
    await tab.throttleCpu(1)
  }
  await pause(QUIET_MS)
  return new Map(
    booths.map(booth => [
      booth,
      { requests: booth.stall.requests(cart), effects: booth.stall.effects(cart) },
    ]),
  )
}
