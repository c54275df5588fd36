import { setTimeout as pause } from 'node:timers/promises'
import type { Shown } from '../peers/contract.ts'
import type { Booth } from './booth.ts'

/** After so many presses without a success the person gives up. */
const MOST_PRESSES = 5
/** A person reads what a page says before filling in a form. */
const READING_MS = 1_000
/** The driver gives up on a page that has not answered for a minute. */
const AT_ONCE = 5
/** What a queue still has to send is sent by then: longer than any wait of an arm that tells its page nothing. */
const QUIET_MS = 3_000

export interface Effects {
  /** Orders that were placed, for each that the person wanted. */
  readonly perCart: number
  /** The carts that were not ordered at all. */
  readonly missing: number
  /** The carts whose person never saw a success. */
  readonly untold: number
}

/** So many carts, one after the other, while so large a share of the replies is lost. */
export async function underLoss(
  booth: Booth,
  lost: number,
  firstCart: number,
  count: number,
): Promise<Effects> {
  booth.stall.weather = { lost }
  const ends: Shown[] = []
  for (let done = 0; done < count; done += AT_ONCE) {
    const some = await booth.tab.evaluate(
      async (first, count, mostPresses) => {
        const ends: Shown[] = []
        for (let n = 0; n < count; n += 1) ends.push(await window.person(first + n, mostPresses))
        return ends
      },
      firstCart + done,
      Math.min(AT_ONCE, count - done),
      MOST_PRESSES,
    )
    ends.push(...some)
  }
  return counted(booth, firstCart, ends)
}

/**
 * The page is reloaded while the first request is under way. The person reads what the new page says, and orders the same
 * again unless it says that it was ordered.
 */
export async function underReload(
  booth: Booth,
  firstCart: number,
  count: number,
): Promise<Effects> {
  const ends: Shown[] = []
  for (let cart = firstCart; cart < firstCart + count; cart += 1) {
    await booth.visit(cart)
    booth.stall.weather = { holds: true }
    await booth.tab.evaluate(cart => window.fillIn(cart), cart)
    await booth.tab.click('button')
    await arrived(booth, cart)
    await booth.tab.reload()
    booth.stall.release()
    await booth.isOpen()
    await pause(READING_MS)
    const end = await booth.tab.evaluate(
      (cart, mostPresses) =>
        window.shown() === 'success' ? 'success' : window.person(cart, mostPresses),
      cart,
      MOST_PRESSES - 1,
    )
    ends.push(end)
  }
  return counted(booth, firstCart, ends)
}

async function arrived(booth: Booth, cart: number): Promise<void> {
  while (booth.stall.requests(cart) === 0) await pause(5)
}

async function counted(
  { stall }: Booth,
  firstCart: number,
  ends: readonly Shown[],
): Promise<Effects> {
  await pause(QUIET_MS)
  const carts = ends.map((_end, n) => firstCart + n)
  const effects = carts.map(cart => stall.effects(cart))
  return {
    perCart: effects.reduce((sum, count) => sum + count, 0) / effects.length,
    missing: effects.filter(count => count === 0).length,
    untold: ends.filter(end => end !== 'success').length,
  }
}
