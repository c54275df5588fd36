import type { Client } from 'sendonce'
import { createClient } from 'sendonce'
import { createIndexedDbStore } from '../../../src/store/indexed-db.ts'
import { shuffled } from '../shuffled.ts'
import { ORDER } from './order.ts'
import { recordOf } from './record.ts'

declare global {
  interface Window {
    scale: Scale
  }
}

interface Scale {
  /** Leaves so many orders of which nobody knows. */
  leave(count: number): Promise<void>
  /** One `submit` to each store, in an order drawn by lot, so many times; resolves with the milliseconds of each. */
  run(rounds: number, pauseMs: number): Promise<Record<Store, number[]>>
  /** How long it takes to list what is left, in milliseconds. */
  list(times: number): Promise<readonly number[]>
}

/** `again` is as empty as `empty`: what they differ by is what the machine adds. */
export type Store = 'full' | 'empty' | 'again'

const record = await recordOf(ORDER)
const open = (name: Store) => {
  const storage = createIndexedDbStore('strict', name)
  return { storage, client: createClient({ scope: 'ada', name, storage }) }
}
const shops = { full: open('full'), empty: open('empty'), again: open('again') }
const { full } = shops
let left = 0
let orders = 0

window.scale = { leave, run, list }

async function leave(count: number): Promise<void> {
  const lost = { ...record, phase: { is: 'unknown', reason: 'attempts' }, ambiguous: 1, attempt: 1 }
  for (const until = left + count; left < until; left += 1) {
    await full.storage.change(
      ['full', 'ada', `left/${left}`],
      () => ({ keep: lost, result: undefined }),
      'relaxed',
    )
  }
}

async function run(rounds: number, pauseMs: number): Promise<Record<Store, number[]>> {
  const took: Record<Store, number[]> = { full: [], empty: [], again: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const store of shuffled(Object.keys(shops) as Store[])) {
      orders += 1
      took[store].push(await timed(() => submit(shops[store].client)))
      await shops[store].client.idle()
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
  return took
}

async function list(times: number): Promise<readonly number[]> {
  const took: number[] = []
  while (took.length < times) {
    took.push(
      await timed(async () => {
        const { length } = await full.client.unsettled()
        if (length !== left) throw new Error(`${length} of ${left} were found.`)
      }),
    )
  }
  return took
}

function submit(client: Client): Promise<unknown> {
  const json = { ...ORDER, cart: orders }
  return client.submit(`checkout:cart-${orders}`, { url: '/api/orders', json })
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await run()
  return performance.now() - from
}
