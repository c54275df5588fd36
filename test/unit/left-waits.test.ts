import type { KyLike, ServerProfile } from 'sendonce'
import { businessNumber } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { breakableDisk } from './disk.ts'
import { nameOf, ORDERS, order, Shop, statesOf, watch } from './shop.ts'

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

describe('a wait that nobody ends', () => {
  const retry = { baseDelayMs: 20_000 }

  it('is ended where its record is adopted: its turn finds it gone', async () => {
    const shop = new Shop({ server: { session: () => 'somebody' } })
    shop.server.next('lose-reply')
    // A tab whose app has not heard of the sign-in yet.
    const there = shop.open({ scope: 'guest-1', retry })
    const states = statesOf(there.client)
    const sent = watch(there.client.submit('checkout', order()))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    const { client } = shop.open({ scope: 'ada', retry })
    const handle = client.operation('checkout')
    handle.subscribe(() => {})
    await shop.ending(client.adopt('guest-1'))
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown' })
    expect(nameOf(handle.getSnapshot())).toBe('unknown:interrupted')
    expect(await shop.ending(client.resumeAll())).toMatchObject([{ state: 'succeeded' }])
  })

  it('is not believed for ever where the disk failed as it was given up', async () => {
    const shop = new Shop()
    shop.server.next('lose-reply')
    const page = shop.world.page()
    const disk = breakableDisk(page.store)
    const here = shop.open({ storage: disk.store, retry }, page)
    const states = statesOf(here.client)
    const stop = new AbortController()
    const sent = watch(here.client.submit('checkout', { ...order(), signal: stop.signal }))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    const handle = shop.open({ retry }).client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.run()
    disk.failsOnce()
    stop.abort()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown', reason: 'aborted' })
    expect(nameOf(handle.getSnapshot())).toBe('unknown:aborted')
  })

  it('is not believed for ever where its page is frozen', async () => {
    const shop = new Shop()
    shop.server.next('lose-reply')
    const { client, page } = shop.open()
    const states = statesOf(client)
    watch(client.submit('checkout', order()))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    page.freeze()
    const handle = shop.open().client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.wait(60_000)
    expect(nameOf(handle.getSnapshot())).toBe('waiting:backoff there')
    await shop.world.wait(40_000)
    expect(nameOf(handle.getSnapshot())).toBe('unknown:interrupted')
  })
})
