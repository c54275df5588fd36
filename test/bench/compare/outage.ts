import { setTimeout as pause } from 'node:timers/promises'
import type { Booth } from './booth.ts'
import { nowMs } from './shop.ts'

/** From the press of the button to the return of the network. */
const OUTAGE_MS = 3_000
/** What has not come by then does not come while the person looks. */
const PATIENCE_MS = 8_000
/** Before the page is closed. Persisters write with a delay: TanStack Query's once a second. */
const BEFORE_CLOSING_MS = 2_500
/** The answer is read by then. */
const READ_MS = 500
const LOOK_AGAIN_MS = 5

/** How an order that was placed offline went on when the network was back. Nobody pressed again. */
export interface Recovery {
  /** From the return of the network to the request at the server, in milliseconds. */
  readonly sentAfterMs: number | undefined
  /** The page said that it was ordered. */
  readonly isTold: boolean
  /** The page said that the order is open, and offered to go on with it. */
  readonly asks: boolean
}

/** The page stays open. */
export async function throughOutage(booth: Booth, cart: number): Promise<Recovery> {
  await orderOffline(booth, cart)
  await pause(OUTAGE_MS)
  const fromMs = nowMs()
  await goOnline(booth)
  await booth.sync()
  return recovery(booth, cart, fromMs)
}

/** The page is closed while there is no network, and opened again when there is. */
export async function throughClosing(booth: Booth, cart: number): Promise<Recovery> {
  await orderOffline(booth, cart)
  await pause(BEFORE_CLOSING_MS)
  await booth.leave()
  const fromMs = nowMs()
  await goOnline(booth)
  await booth.visit(cart)
  await booth.sync()
  return recovery(booth, cart, fromMs)
}

async function orderOffline(booth: Booth, cart: number): Promise<void> {
  booth.stall.weather = {}
  await booth.visit(cart)
  await booth.tab.evaluate(cart => window.fillIn(cart), cart)
  // The emulation is for the page alone; its service worker meets a server that is not there.
  booth.stall.weather = { away: true }
  await booth.tab.goOffline()
  await booth.tab.click('button')
}

async function goOnline(booth: Booth): Promise<void> {
  booth.stall.weather = {}
  await booth.tab.goOnline()
}

async function recovery(booth: Booth, cart: number, fromMs: number): Promise<Recovery> {
  const arrival = () => booth.stall.arrivals.find(arrival => arrival.cart === cart)
  const untilMs = nowMs() + PATIENCE_MS
  while (!arrival() && nowMs() < untilMs) await pause(LOOK_AGAIN_MS)
  const atMs = arrival()?.atMs
  await pause(READ_MS)
  const [isTold, asks] = await booth.tab.evaluate(
    () => [window.shown() === 'success', window.shop.asks()] as const,
  )
  return { sentAfterMs: atMs === undefined ? undefined : atMs - fromMs, isTold, asks }
}
