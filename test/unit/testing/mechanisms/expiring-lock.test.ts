import type { MechanismInput } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { ANN, BOB, fiftyAtOnce, KEY, openShop, tally } from '../shop.ts'

const locked = (mechanisms: readonly MechanismInput[], says = {}) =>
  openShop({ mechanisms, workMs: 5_000, says })

describe('an expiring lock', () => {
  it('is held while the work goes on, and released after it', async () => {
    const { clock, server, post } = locked(['lock'])
    const first = post(KEY)
    await clock.waitedFor()
    const second = await post(KEY)
    expect([second.status, second.headers.get('retry-after')]).toEqual([409, '10'])
    expect(server.tables().locks).toMatchObject([{ name: 'key-1', expiresAt: 10_000 }])
    clock.advance(5_000)
    expect((await first).status).toBe(201)
    expect([server.tables().locks, server.ledger().length]).toEqual([[], 1])
  })

  it('lets one of fifty in at once', async () => {
    const shop = locked(['lock'], { processing: { status: 423 } })
    const answers = await fiftyAtOnce(shop, 5_000, () => shop.post(KEY))
    expect(tally(answers)).toEqual([1, [423]])
    expect(shop.placed).toBe(1)
  })

  it('remembers nothing: what comes after the work runs again', async () => {
    const { server, post } = openShop({ mechanisms: ['lock'] })
    await post(KEY)
    await post(KEY)
    expect(server.ledger()).toHaveLength(2)
  })

  it('falls away at its expiry, and then two work at once', async () => {
    const { clock, server, post } = locked([{ is: 'lock', expiryMs: 1_000 }])
    const first = post(KEY)
    await clock.waitedFor()
    clock.advance(1_000)
    const second = post(KEY)
    await clock.waitedFor(2)
    clock.advance(4_000)
    await first
    // The first one is done, and leaves alone the lock that is the other's by now.
    expect(server.tables().locks).toMatchObject([{ delivery: 2 }])
    clock.advance(1_000)
    await second
    expect(server.ledger()).toHaveLength(2)
  })

  it('stays as long as the work, with a watchdog', async () => {
    const { clock, server, post } = locked([{ is: 'lock', expiryMs: 1_000, watchdog: true }])
    const first = post(KEY)
    await clock.waitedFor()
    clock.advance(4_999)
    expect((await post(KEY)).status).toBe(409)
    clock.advance(1)
    await first
    expect(server.ledger()).toHaveLength(1)
  })

  it('is followed by a second look at the table behind it', async () => {
    const { clock, server, post } = locked([{ is: 'lock', expiryMs: 1_000 }, 'dedupe'])
    const first = post(KEY)
    await clock.waitedFor()
    clock.advance(1_000)
    expect((await post(KEY)).json.title).toBe('A request is outstanding for this Idempotency-Key')
    expect(server.tables().locks).toEqual([])
    clock.advance(4_000)
    await first
    expect((await post(KEY)).headers.get('idempotent-replayed')).toBe('true')
    expect(server.ledger()).toHaveLength(1)
  })

  it('stays locked when its process dies, until it expires', async () => {
    const { clock, server, post } = openShop({ mechanisms: ['lock', 'dedupe'] })
    server.next('crash')
    await expect(post(KEY)).rejects.toThrow(TypeError)
    clock.advance(9_999)
    expect((await post(KEY)).status).toBe(409)
    clock.advance(1)
    expect((await post(KEY)).headers.get('idempotent-replayed')).toBe('true')
    expect(server.ledger()).toHaveLength(1)
  })

  it('is each person’s own, and may be on anything, or on the path', async () => {
    const { clock, server, post } = locked([{ is: 'lock', on: { body: '/cart' } }])
    const sending = [
      post(ANN, { cart: 1 }),
      post(BOB, { cart: 1 }),
      post(ANN, { cart: 2 }),
      post(ANN, {}),
    ]
    await clock.waitedFor(4)
    expect((await post(ANN, { cart: 2 })).status).toBe(409)
    expect(server.tables().locks.map(({ name }) => name)).toEqual(['1', '1', '2', '/api/orders'])
    clock.advance(5_000)
    await Promise.all(sending)
    expect(server.ledger()).toHaveLength(4)
  })
})
