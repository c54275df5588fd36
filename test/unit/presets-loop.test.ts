import type { Client, Outcome, ServerProfile, SubmitRequest } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { createClientOn } from '../../src/client.ts'
import { businessNumber } from '../../src/profiles/business-number.ts'
import { dedupeTable } from '../../src/profiles/dedupe-table.ts'
import { oneTimeToken } from '../../src/profiles/one-time-token.ts'
import { repeatWindow } from '../../src/profiles/repeat-window.ts'
import { repeatability } from '../../src/profiles/repeatability.ts'
import { stateMachine } from '../../src/profiles/state-machine.ts'
import { stripe } from '../../src/profiles/stripe.ts'
import { World } from '../support/world/world.ts'

interface Arrival {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly json: Readonly<Record<string, unknown>>
}

const ORDER: SubmitRequest = { url: 'http://shop.test/api/orders', json: { item: 'tea' } }
const LOST = new TypeError('The reply was lost.')

/** Sends one order to a server that does as `answer` says; what it returns or throws is the answer. */
async function sendTo(
  profile: ServerProfile,
  answer: (arrival: Arrival, nth: number) => Response,
  request: SubmitRequest = ORDER,
): Promise<{ outcome: Outcome<unknown>; arrivals: readonly Arrival[] }> {
  const world = new World()
  const arrivals: Arrival[] = []
  world.server = async sent => {
    const { method, headers } = sent
    const text = await sent.text()
    const { pathname, search } = new URL(sent.url)
    const arrival = { method, path: pathname + search, headers, json: text && JSON.parse(text) }
    arrivals.push(arrival)
    return answer(arrival, arrivals.length)
  }
  const page = world.page()
  const client: Client = createClientOn(page.platform, {
    scope: 'ada',
    storage: page.store,
    profile,
  })
  let outcome: Outcome<unknown> | undefined
  void client.submit('checkout', request).then(ended => {
    outcome = ended
  })
  await world.run(() => outcome !== undefined)
  if (!outcome) throw new Error('It did not end.')
  return { outcome, arrivals }
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers })

describe('a preset in the loop', () => {
  it('repeatability(): id and time are the same on every attempt', async () => {
    const effects: string[] = []
    const { outcome, arrivals } = await sendTo(repeatability(), ({ headers }, nth) => {
      if (nth === 1) {
        effects.push(headers.get('repeatability-request-id') ?? '')
        throw LOST
      }
      return json({ id: 1 }, 201, { 'repeatability-result': 'accepted' })
    })
    expect(outcome.state).toBe('succeeded')
    expect(effects).toHaveLength(1)
    const pairs = arrivals.map(({ headers }) => [
      headers.get('repeatability-request-id'),
      headers.get('repeatability-first-sent'),
    ])
    expect(pairs).toEqual([pairs[0], pairs[0]])
    expect(pairs[0]?.[0]).toBe(effects[0])
    expect(new Date(pairs[0]?.[1] ?? '').toUTCString()).toBe(pairs[0]?.[1])
  })

  it('stripe(): a stored 500 is asked for once and not again', async () => {
    const { outcome, arrivals } = await sendTo(stripe(), (_, nth) =>
      json({ error: {} }, 500, nth === 1 ? {} : { 'idempotent-replayed': 'true' }),
    )
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'not-retryable' })
    expect(arrivals).toHaveLength(2)
  })

  it('stripe(): sends nothing again where the server says so', async () => {
    const { outcome, arrivals } = await sendTo(stripe(), () =>
      json({ error: {} }, 500, { 'stripe-should-retry': 'false' }),
    )
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'not-retryable' })
    expect(arrivals).toHaveLength(1)
  })

  it('dedupeTable(): waits while it is processed, and takes the result out of its envelope', async () => {
    const { outcome, arrivals } = await sendTo(dedupeTable(), (_, nth) => {
      if (nth === 1) throw LOST
      return nth < 4 ? json({ code: 'PROCESSING' }) : json({ code: 'DONE', data: { id: 1 } })
    })
    expect(outcome).toMatchObject({ state: 'succeeded', data: { id: 1 } })
    expect(new Set(arrivals.map(({ headers }) => headers.get('x-request-id'))).size).toBe(1)
    expect(arrivals).toHaveLength(4)
  })

  it('businessNumber(): the number is in the body, and what exists is the result', async () => {
    const orders = new Map<unknown, object>()
    const { outcome, arrivals } = await sendTo(
      businessNumber({ prefix: 'trade_pay_' }),
      ({ json: { order_no: number } }, nth) => {
        const found = orders.get(number)
        if (found) return json(found)
        orders.set(number, { order_no: number, nth })
        throw LOST
      },
    )
    const [[number] = []] = [...orders]
    expect(outcome).toMatchObject({ state: 'succeeded', data: { order_no: number, nth: 1 } })
    expect(orders.size).toBe(1)
    expect(arrivals.map(arrival => arrival.json)).toEqual([
      { item: 'tea', order_no: number },
      { item: 'tea', order_no: number },
    ])
    expect(number).toMatch(/^trade_pay_/)
  })

  it('businessNumber(): a number of one’s own, refused as a repeat, is asked for', async () => {
    const profile = businessNumber({
      guarantee: 'reject',
      recover: 'http://shop.test/api/orders/{key}',
    })
    const { outcome, arrivals } = await sendTo(
      profile,
      ({ method }, nth) => {
        if (nth === 1) throw LOST
        return method === 'GET' ? json({ id: 7 }) : json({ message: 'duplicate key' }, 409)
      },
      { ...ORDER, key: 'order-7' },
    )
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'recover', data: { id: 7 } })
    expect(arrivals.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/orders',
      'POST /api/orders',
      'GET /api/orders/order-7',
    ])
  })

  it('oneTimeToken(): one token for all attempts, and a question when it is used up', async () => {
    const profile = oneTimeToken({
      url: 'http://shop.test/api/token',
      recover: 'http://shop.test/api/orders?token={token}',
    })
    const spent: unknown[] = []
    const { outcome, arrivals } = await sendTo(profile, ({ path, method, headers }) => {
      if (path === '/api/token') return json({ token: 'once' })
      if (method === 'GET') return json({ id: 3 })
      if (spent.length > 0) return json({ message: 'Do not submit again' }, 409)
      spent.push(headers.get('x-idempotent-token'))
      throw LOST
    })
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'recover', data: { id: 3 } })
    expect(spent).toEqual(['once'])
    expect(arrivals.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/token',
      'POST /api/orders',
      'POST /api/orders',
      'GET /api/orders?token=once',
    ])
  })

  it('stateMachine(): finds the move made by its own first attempt', async () => {
    let paid = 0
    const { outcome, arrivals } = await sendTo(stateMachine({ reached: 'PAID' }), () => {
      if (paid > 0) return json({ state: 'PAID', version: 2 }, 409)
      paid += 1
      throw LOST
    })
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect([paid, arrivals.length]).toEqual([1, 2])
  })

  it('stateMachine(): a version that somebody changed is a refusal, unless it may have been oneself', async () => {
    const changed = () => json({ state: 'PENDING', version: 5 }, 412)
    const first = await sendTo(stateMachine({ reached: 'PAID' }), changed)
    expect(first.outcome.state).toBe('refused')
    const later = await sendTo(stateMachine({ reached: 'PAID' }), (_, nth) => {
      if (nth === 1) throw LOST
      return changed()
    })
    expect(later.outcome).toMatchObject({ state: 'unknown', reason: 'refused-later' })
  })

  it('repeatWindow(): is sent once, whatever happens', async () => {
    const { outcome, arrivals } = await sendTo(repeatWindow(), () => {
      throw LOST
    })
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'not-retryable' })
    expect(arrivals).toHaveLength(1)
  })
})
