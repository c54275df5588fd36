import type { ServerProfile } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { idempotencyKey } from '../../src/index.ts'
import { ORDERS, order, Shop } from './shop.ts'
import { short } from './token-shop.ts'

const accepting = (changes: Partial<ServerProfile> = {}): ServerProfile => ({
  ...idempotencyKey(),
  id: 'accepting',
  rules: [
    { status: 202, then: { is: 'pending', poll: 'location', waitMs: 1_000 } },
    { status: 200, body: { '/state': 'running' }, then: { is: 'in-progress' } },
  ],
  ...changes,
})

/** A shop that accepts, and says later; `reply` answers the status address. */
function slow(reply: (asked: number) => Response | Promise<Response>, location = '/jobs/1') {
  const shop = new Shop()
  const log: string[] = []
  let posted = 0
  let asked = 0
  shop.world.server = async request => {
    const { pathname } = new URL(request.url)
    log.push(`${request.method} ${pathname}`)
    if (request.method !== 'GET') {
      posted += 1
      return new Response(null, { status: 202, headers: { location } })
    }
    asked += 1
    return reply(asked)
  }
  return { shop, log, posted: () => posted }
}

describe('an order that is accepted, with an address for its outcome,', () => {
  it('is not sent again: the address is asked until it says', async () => {
    const { shop, log } = slow(asked =>
      asked < 3 ? Response.json({ state: 'running' }) : Response.json({ id: 7 }, { status: 200 }),
    )
    const { client } = shop.open({ profile: accepting() })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', data: { id: 7 } })
    expect(log).toEqual(['POST /api/orders', 'GET /jobs/1', 'GET /jobs/1', 'GET /jobs/1'])
  })

  it('is asked about by the page that comes after a reload', async () => {
    const { shop, log } = slow(() => Response.json({ id: 7 }))
    const { client, page } = shop.open({ profile: accepting() })
    void client.submit('checkout', order())
    await shop.world.run(() => shop.stored()?.poll !== undefined)
    const next = shop.open({ profile: accepting() }, page.reload())
    const outcome = await shop.ending(next.client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', data: { id: 7 } })
    expect(log).toEqual(['POST /api/orders', 'GET /jobs/1'])
  })

  it('is refused where that address says so: it speaks for the order, not for its own delivery', async () => {
    const { shop } = slow(() => Response.json({ why: 'no stock' }, { status: 422 }))
    const { client } = shop.open({ profile: accepting({ guarantee: 'reject' }) })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'refused', data: { why: 'no stock' } })
  })

  it('may be asked about where sending again is never allowed', async () => {
    const { shop, posted } = slow(asked =>
      asked === 1 ? Promise.reject(new TypeError('lost')) : Response.json({ id: 7 }),
    )
    const { client } = shop.open({ profile: accepting({ guarantee: 'none' }) })
    expect(await shop.ending(client.submit('checkout', order()))).toMatchObject({
      state: 'succeeded',
      data: { id: 7 },
    })
    expect(posted()).toBe(1)
  })

  it('ends unknown when it takes longer than is waited for, and can be asked about again', async () => {
    const { shop, posted } = slow(() => Response.json({ state: 'running' }))
    const { client } = shop.open({ profile: accepting({ pace: { inProgressLimitMs: 10_000 } }) })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'in-progress', resumable: true })
    expect(posted()).toBe(1)
  })

  it.each([
    ['another origin', 'http://elsewhere.test/jobs/1'],
    ['no address', ''],
    ['a script', 'javascript:alert(1)'],
    ['a password in it', 'http://ada:secret@shop.test/jobs/1'],
    ['a blob of its origin', 'blob:http://shop.test/1'],
  ])('with %s is sent again, as one that nothing is known of', async (_, location) => {
    const { shop, log } = slow(() => Response.json({ id: 7 }), location)
    const { client } = shop.open({ profile: accepting(), retry: { maxAttempts: 2 } })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(short(outcome)).toBe('unknown:attempts')
    expect(log).toEqual(['POST /api/orders', 'POST /api/orders'])
  })

  it('is found by an address in the body, relative to where it was sent', async () => {
    const { shop, log } = slow(() => Response.json({ id: 7 }))
    const { server } = shop.world
    shop.world.server = async request => {
      if (request.method === 'GET') return server(request)
      log.push('POST')
      return Response.json({ status: 'later/1' }, { status: 202 })
    }
    const profile = accepting({
      rules: [{ status: 202, then: { is: 'pending', poll: '/status', waitMs: 0 } }],
    })
    const { client } = shop.open({ profile })
    await shop.ending(client.submit('checkout', { ...order(), url: ORDERS }))
    expect(log).toEqual(['POST', 'GET /api/later/1'])
  })
})
