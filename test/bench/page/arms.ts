import { createClient } from 'sendonce'
import { shuffled } from '../shuffled.ts'
import { floor, strictStore } from './floor.ts'
import { ORDER } from './order.ts'
import { recordOf } from './record.ts'

declare global {
  interface Window {
    /** One run of each arm, in an order drawn by lot, so many times; resolves with the milliseconds of each. */
    bench: (rounds: number, pauseMs: number) => Promise<Readonly<Record<Arm, readonly number[]>>>
  }
}

/** `again` is a second copy of `floor`: what two equal arms differ by is what the machine adds. */
export type Arm = 'sendonce' | 'floor' | 'again' | 'fetch'

const client = createClient({ scope: 'ada' })
const record = await recordOf(ORDER)
let orders = 0

const arms: Readonly<Record<Arm, (json: unknown) => Promise<unknown>>> = {
  sendonce: json => client.submit(`checkout:cart-${orders}`, { url: '/api/orders', json }),
  floor: floor(strictStore('floor'), record),
  again: floor(strictStore('again'), record),
  async fetch(json) {
    const headers = { 'content-type': 'application/json', 'idempotency-key': `fetch-${orders}` }
    const init = { method: 'POST', headers, body: JSON.stringify(json) }
    return (await fetch('/api/orders', init)).json()
  },
}

window.bench = async (rounds, pauseMs) => {
  const took: Record<Arm, number[]> = { sendonce: [], floor: [], again: [], fetch: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const arm of shuffled(Object.keys(arms) as Arm[])) {
      orders += 1
      const json = { ...ORDER, cart: orders }
      const from = performance.now()
      await arms[arm](json)
      took[arm].push(performance.now() - from)
      // What is written after the answer is not to be paid for by the next run.
      await client.idle()
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
  return took
}
