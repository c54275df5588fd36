import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { randomFrom } from '../support/world/pick.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { oneShop } from './shop.ts'

const chromium = oneChromium()
const shop = oneShop()

const LONG = process.env.LONG !== undefined
const RUNS = LONG ? 200 : 5
const SEED = Number(process.env.SEED ?? (LONG ? Date.now() % 1_000_000 : 1))

/** Orders of one run, and the time between two of them. */
const ORDERS = 6
const GAP_MS = 40
/** From before the first claim to after the last answer. */
const LATEST_KILL_MS = 700
/** How long an answer takes, so that a kill finds some on their way. */
const REPLY_MS = 60

it(`loses none and doubles none of the orders of a browser that is killed at a random moment, ${RUNS} times`, async () => {
  console.log(`Seed ${SEED}.`)
  const random = randomFrom(SEED)
  const { server, checkout, arrivals, orders, until } = shop()
  const found = { settled: 0, unsettled: 0, neverClaimed: 0 }
  server.next('lose-reply', { share: 0.15 })
  server.next({ is: 'slow-reply', ms: REPLY_MS }, { share: 1 })

  for (let run = 1; run <= RUNS; run += 1) {
    const names = Array.from({ length: ORDERS }, (_, n) => `kill/${run}/${n}`)
    const tab = await chromium().newTab(checkout({ operation: 'none' }))
    await tab.evaluate(
      (names, gapMs) => {
        names.forEach((name, n) => {
          setTimeout(() => {
            const headers = { 'X-Operation': name }
            const json = { item: name, amount: n, address: 'Main Street 1' }
            void window.checkout.client.submit(name, { url: '/api/orders', headers, json })
          }, n * gapMs)
        })
      },
      names,
      GAP_MS,
    )
    const moment = random()
    // Every other time while an order is at the server, however fast the machine is.
    const count = Math.ceil(moment * ORDERS)
    if (run % 2) await pause(moment * LATEST_KILL_MS)
    else await until(() => names.filter(name => arrivals(name).length > 0).length >= count)
    await chromium().kill()
    await chromium().restart()

    const next = await chromium().newTab(checkout({ operation: 'none' }))
    const left = await next.evaluate(async () => {
      const { client } = window.checkout
      const unsettled = (await client.unsettled()).map(({ operation }) => operation)
      for (const operation of unsettled) {
        // One whose turn ends with its attempts goes on with the next.
        for (let state = ''; state !== 'succeeded'; ) {
          state = (await client.operation(operation).resume()).state
        }
      }
      await client.idle()
      return { unsettled, after: (await client.unsettled()).length }
    })
    expect(left.after).toBe(0)
    for (const name of names) {
      const came = arrivals(name)
      if (left.unsettled.includes(name)) found.unsettled += 1
      else if (came.length > 0) found.settled += 1
      else found.neverClaimed += 1
      const known = came.length > 0 || left.unsettled.includes(name)
      expect([name, orders(name).length]).toEqual([name, known ? 1 : 0])
      expect(new Set(came.map(({ key }) => key)).size).toBe(known ? 1 : 0)
    }
    await next.close()
  }
  console.log(`${RUNS} kills of ${ORDERS} orders each: ${JSON.stringify(found)}`)
  expect(found.settled).toBeGreaterThan(0)
  expect(found.unsettled).toBeGreaterThan(0)
})
