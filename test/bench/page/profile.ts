import type { UseStore } from 'idb-keyval'
import { browserPlatform } from '../../../src/browser.ts'
import { createClientOn } from '../../../src/client.ts'
import type { Platform } from '../../../src/platform.ts'
import { createIndexedDbStore } from '../../../src/store/indexed-db.ts'
import type { OperationStore } from '../../../src/store/store.ts'
import { shuffled } from '../shuffled.ts'
import { floor, strictStore } from './floor.ts'
import { ORDER } from './order.ts'
import { recordOf } from './record.ts'

declare global {
  interface Window {
    /** So many submits of each, one after the other; resolves with the marks of each. */
    profile: (rounds: number, pauseMs: number) => Promise<Marks>
  }
}

/** What was reached, and when, in milliseconds since the call of `submit`. */
export type Mark = readonly [step: string, atMs: number]

/** The marks of each run: ours, and what the floor reaches of the same steps. */
export interface Marks {
  readonly sendonce: readonly (readonly Mark[])[]
  readonly floor: readonly (readonly Mark[])[]
}

let marks: Mark[] = []
let from = 0
/** Only the first of its name counts: what is written after the claim is not the claim. */
const mark = (step: string) => {
  if (!marks.some(([name]) => name === step)) marks.push([step, performance.now() - from])
}

const real = browserPlatform()
const platform: Platform = {
  ...real,
  tryLock: async name => {
    const lock = await real.tryLock?.(name)
    mark('lock granted')
    return lock
  },
  subtle: {
    generateKey: crypto.subtle.generateKey.bind(crypto.subtle),
    sign: crypto.subtle.sign.bind(crypto.subtle),
    async digest(...given) {
      const digest = await crypto.subtle.digest(...given)
      mark('digest ready')
      return digest
    },
  },
  fetch: markedFetch,
}

async function markedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  mark('fetch called')
  const response = await fetch(input, init)
  mark('head arrived')
  for (const reader of ['arrayBuffer', 'text'] as const) {
    const read = response[reader].bind(response) as () => Promise<never>
    response[reader] = async () => {
      const body = await read()
      mark('body arrived')
      return body
    }
  }
  return response
}

const strict = strictStore('floor')
const marked: UseStore = async (mode, run) => {
  mark('claim begun')
  const result = await strict(mode, run)
  mark('claim committed')
  return result
}
const least = floor(marked, await recordOf(ORDER), markedFetch)

const disk = createIndexedDbStore('strict', 'profile')
const store: OperationStore = {
  ...disk,
  async change(key, decide, durability?: 'strict' | 'relaxed') {
    mark('claim begun')
    const look: typeof decide = old => {
      mark('claim decided')
      return decide(old)
    }
    const result = await disk.change(key, look, durability)
    mark('claim committed')
    return result
  },
}

const client = createClientOn(platform, { scope: 'ada', storage: store })
let orders = 0

const arms = {
  sendonce: (json: object) =>
    client.submit(`checkout:cart-${orders}`, { url: '/api/orders', json }),
  floor: least,
}

window.profile = async (rounds, pauseMs) => {
  const all: { readonly [A in keyof Marks]: (readonly Mark[])[] } = { sendonce: [], floor: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const arm of shuffled(['sendonce', 'floor'] as const)) {
      orders += 1
      marks = []
      from = performance.now()
      await arms[arm]({ ...ORDER, cart: orders })
      mark('told')
      all[arm].push(marks)
      await client.idle()
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
  }
  return all
}
