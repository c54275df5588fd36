import { browserPlatform } from '../../../src/browser.ts'
import { createClientOn } from '../../../src/client.ts'
import type { Platform } from '../../../src/platform.ts'
import { createIndexedDbStore } from '../../../src/store/indexed-db.ts'
import type { OperationStore } from '../../../src/store/store.ts'
import { ORDER } from './order.ts'

declare global {
  interface Window {
    /** So many submits, one after the other; resolves with the marks of each. */
    profile: (rounds: number, pauseMs: number) => Promise<readonly (readonly Mark[])[]>
  }
}

/** What was reached, and when, in milliseconds since the call of `submit`. */
export type Mark = readonly [step: string, atMs: number]

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
  sha256: async bytes => {
    const digest = await crypto.subtle.digest('SHA-256', bytes)
    mark('digest ready')
    return digest
  },
  fetch: async (input, init) => {
    mark('fetch called')
    const response = await fetch(input, init)
    mark('head arrived')
    const read = response.arrayBuffer.bind(response)
    response.arrayBuffer = async () => {
      const body = await read()
      mark('body arrived')
      return body
    }
    return response
  },
}

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

window.profile = async (rounds, pauseMs) => {
  const all: (readonly Mark[])[] = []
  for (let round = 0; round < rounds; round += 1) {
    orders += 1
    const operation = `checkout:cart-${orders}`
    marks = []
    from = performance.now()
    await client.submit(operation, { url: '/api/orders', json: { ...ORDER, cart: orders } })
    mark('told')
    all.push(marks)
    await client.idle()
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
  return all
}
