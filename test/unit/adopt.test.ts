import { describe, expect, it } from 'vitest'
import { nameOf, order, Shop, watch } from './shop.ts'

/** A guest who signs in as ada, and the pages that share that session. */
function visitor() {
  const session = { who: 'guest-1' as string | null }
  return { session, scope: () => session.who }
}

/** A guest's order whose reply was lost. */
async function unsettled(shop: Shop, options = {}) {
  const { session, scope } = visitor()
  const tab = shop.open({ scope, retry: { maxAttempts: 1 }, ...options })
  shop.server.next('lose-reply')
  const outcome = await shop.ending(tab.client.submit('checkout', order()))
  expect(outcome).toMatchObject({ state: 'unknown' })
  session.who = 'ada'
  return { ...tab, session, scope, key: outcome.key }
}

describe('adopt()', () => {
  it('lets a guest’s unsettled order go on after signing in, with the same key', async () => {
    const shop = new Shop({ server: { session: () => 'somebody' } })
    const { client, key } = await unsettled(shop)
    expect(await shop.ending(client.unsettled())).toEqual([])
    await shop.ending(client.adopt('guest-1'))
    expect(await shop.ending(client.unsettled())).toMatchObject([
      { operation: 'checkout', snapshot: { state: 'unknown', key } },
    ])
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', key, from: 'replay' })
    expect(shop.keys).toEqual([key])
    expect(shop.placed).toBe(1)
  })

  it('leaves nothing behind that could be sent as the guest', async () => {
    const shop = new Shop()
    const { client, session, scope } = await unsettled(shop)
    await shop.ending(client.adopt('guest-1'))
    session.who = 'guest-1'
    const later = shop.open({ scope })
    expect(await shop.ending(later.client.unsettled())).toEqual([])
    await expect(shop.ending(later.client.operation('checkout').resume())).rejects.toMatchObject({
      code: 'invalid-argument',
    })
    expect(shop.log).toHaveLength(1)
  })

  it('takes what succeeded along: the same order is not placed again', async () => {
    const shop = new Shop()
    const { session, scope } = visitor()
    const guest = shop.open({ scope })
    const first = await shop.ending(guest.client.submit('checkout', { ...order(), once: true }))
    session.who = 'ada'
    await shop.ending(guest.client.adopt('guest-1'))
    const again = await shop.ending(guest.client.submit('checkout', { ...order(), once: true }))
    expect(again).toMatchObject({ state: 'succeeded', key: first.key, from: 'store' })
    expect(shop.placed).toBe(1)
  })

  it('leaves both where the account has the same operation unsettled', async () => {
    const shop = new Shop()
    const { client, session, key } = await unsettled(shop)
    shop.server.next('lose-reply')
    const own = await shop.ending(client.submit('checkout', order({ item: 'pen' })))
    expect(own).toMatchObject({ state: 'unknown' })
    await shop.ending(client.adopt('guest-1'))
    expect(shop.stored('checkout', 'ada')?.key).toBe(own.key)
    expect(shop.stored('checkout', 'guest-1')?.key).toBe(key)
    session.who = 'guest-1'
    client.operation('checkout').getSnapshot()
    await shop.world.run()
    expect(nameOf(client.operation('checkout').getSnapshot())).toBe('unknown:attempts')
  })

  it('waits for an attempt of this page, and takes its outcome along', async () => {
    const shop = new Shop()
    const { session, scope } = visitor()
    const { client } = shop.open({ scope })
    shop.server.next({ is: 'slow', ms: 2_000 })
    const sent = watch(client.submit('checkout', order()))
    await shop.arrivals(1)
    session.who = 'ada'
    await shop.ending(client.adopt('guest-1'))
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.stored('checkout', 'ada')?.phase).toMatchObject({ is: 'succeeded' })
    expect(shop.placed).toBe(1)
  })

  it.each(['store', 'stored'] as const)(
    'killed at any %s leaves one key, and one order',
    async kind => {
      for (let place = 1; place < 12; place += 1) {
        const shop = new Shop({ server: { session: () => 'somebody' } })
        const { client, page, scope, key } = await unsettled(shop)
        let passed = 0
        shop.world.at = point => {
          if (point.kind === kind) passed += 1
          if (passed === place) page.kill()
        }
        void client.adopt('guest-1')
        await shop.world.settle()
        shop.world.at = undefined
        const next = shop.open({ scope }, page.life === 'dead' ? page.reload() : page)
        await shop.ending(next.client.adopt('guest-1'))
        const outcome = await shop.ending(next.client.submit('checkout', order()))
        expect(outcome).toMatchObject({ state: 'succeeded', key })
        expect(shop.keys).toEqual([key])
        expect(shop.placed).toBe(1)
      }
    },
  )

  it('of something sensitive knows it again', async () => {
    const shop = new Shop({ server: { session: () => 'somebody' } })
    const { session, scope } = visitor()
    const { client } = shop.open({ scope, retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const request = { ...order(), sensitive: true }
    const first = await shop.ending(client.submit('checkout', request))
    session.who = 'ada'
    await shop.ending(client.adopt('guest-1'))
    const again = await shop.ending(client.submit('checkout', request))
    expect(again).toMatchObject({ state: 'succeeded', key: first.key })
    expect(shop.placed).toBe(1)
  })

  it('rejects while nobody is signed in, and for no name', async () => {
    const shop = new Shop()
    const { session, scope } = visitor()
    const { client } = shop.open({ scope })
    session.who = null
    await expect(client.adopt('guest-1')).rejects.toMatchObject({ code: 'invalid-argument' })
    session.who = 'ada'
    await expect(client.adopt('')).rejects.toMatchObject({ code: 'invalid-argument' })
    await shop.ending(client.adopt('ada'))
  })
})
