import type { KyLike, ServerProfile } from 'sendonce'
import { businessNumber } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { nameOf, ORDERS, order, Shop, watch } from './shop.ts'

/* A wait is its turn's to end: as long as its page lives, other tabs believe that somebody is at it. */

/** Says nothing definite when it is asked. */
const asked: ServerProfile = {
  ...businessNumber({ place: { header: 'idempotency-key' } }),
  recover: async (_, ask) => {
    await ask(ORDERS)
    return { is: 'unknown' }
  },
}

describe('a wait that its turn gives up', () => {
  it('is ended though somebody has asked meanwhile what happened', async () => {
    const shop = new Shop()
    shop.server.next('lose-reply')
    const options = { profile: asked, retry: { baseDelayMs: 10_000 } }
    const here = shop.open(options)
    const stop = new AbortController()
    const sent = here.client.submit('checkout', { ...order(), signal: stop.signal })
    await shop.arrivals(1)
    const handle = here.client.operation('checkout')
    await shop.world.run(() => nameOf(handle.getSnapshot()) === 'waiting:backoff')

    const there = shop.open(options)
    const found = await shop.ending(there.client.operation('checkout').recover())
    expect(found.state).toBe('unknown')
    stop.abort()
    expect(await shop.ending(sent)).toMatchObject({ state: 'unknown', reason: 'aborted' })
    await shop.world.settle()
    expect(shop.stored()).toMatchObject({ phase: { is: 'unknown', reason: 'aborted' } })
    expect(nameOf(there.client.operation('checkout').getSnapshot())).toBe('unknown:aborted')
  })

  it('is a pause where a hook throws at its end', async () => {
    const shop = new Shop()
    const because = 'rate-limited'
    const profile: ServerProfile = { ...asked, classify: () => ({ is: 'not-executed', because }) }
    let calls = 0
    const ky: KyLike = async (url, options) => {
      calls += 1
      if (calls === 2) throw new Error('No session.')
      return options.fetch(new Request(url, options))
    }
    const { client } = shop.open({ profile, ky })
    const there = shop.open({ profile }).client.operation('checkout')
    there.subscribe(() => {})
    const sent = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(sent.error).toMatchObject({ code: 'not-sent', cause: { message: 'No session.' } })
    expect(shop.log).toHaveLength(1)
    expect(shop.stored()).toMatchObject({ phase: { is: 'paused', reason: because } })
    for (const handle of [there, client.operation('checkout')]) {
      expect(nameOf(handle.getSnapshot())).toBe('paused:rate-limited')
    }
  })
})
