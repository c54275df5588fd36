import type { Delivery, Listening, MockServer, Order } from 'sendonce/testing'
import { createMockServer, listen } from 'sendonce/testing'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import type { Tab } from './driver/driver.ts'
import { limited } from './driver/limited.ts'
import { onNewOrigin } from './driver/new-origin.ts'
import type { Shown } from './pages/checkout.ts'

/** The mock server on a real port, with the pages of test/browser/pages on the same origin. */
export interface Shop {
  readonly server: MockServer
  readonly origin: string
  /** The address of the checkout page, whose settings its source lists. */
  checkout(settings?: Readonly<Record<string, string | number>>): string
  /** The requests of one operation, as they arrived. */
  arrivals(operation: string): readonly Delivery[]
  /** The effects of one operation. */
  orders(operation: string): readonly Order[]
  /** Resolves with the first request of an operation as soon as the server has all of it. */
  arrival(operation: string): Promise<Delivery>
  /** Resolves with what `look` finds at the server, as soon as that is something. */
  until<T>(look: () => T | undefined | false): Promise<T>
}

/** One shop for the tests of a file: call it once, at the top, and the returned function in the tests. */
export function oneShop(): () => Shop {
  const server = createMockServer()
  let listening: Listening

  beforeAll(async () => {
    const options = { static: { '/': inject('pages') } }
    listening = await onNewOrigin(() => listen(server, options))
  })
  afterEach(() => server.reset())
  afterAll(() => listening?.close())

  const arrivals: Shop['arrivals'] = operation =>
    server.log().filter(({ headers }) => headers['x-operation'] === operation)

  const until: Shop['until'] = look =>
    new Promise(resolve => {
      const check = () => {
        const found = look()
        if (!found) return
        stop()
        resolve(found)
      }
      const stop = server.subscribe(check)
      check()
    })

  return () => ({
    server,
    origin: listening.origin,
    checkout: (settings = {}) => {
      const query = Object.entries(settings).map(([name, value]) => [name, String(value)])
      return `${listening.origin}/checkout.html?${new URLSearchParams(query)}`
    },
    arrivals,
    orders: operation => server.ledger({ operation }),
    // Its head is in the log before its body was read.
    arrival: operation =>
      limited(
        until(() => arrivals(operation).find(({ bodyDigest }) => bodyDigest)),
        () => `a request of ${operation}, of which there came ${JSON.stringify(server.log())}`,
      ),
    until,
  })
}

/** What the checkout page shows now. */
export function shown(tab: Tab): Promise<Shown> {
  return tab.evaluate(() => JSON.parse(document.querySelector('[role=status]')?.textContent ?? ''))
}
