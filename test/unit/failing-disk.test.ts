import type { ServerProfile } from 'sendonce'
import { businessNumber } from 'sendonce'
import { describe, expect, it } from 'vitest'
import type { BreakableDisk } from './disk.ts'
import { breakableDisk } from './disk.ts'
import type { Tab } from './shop.ts'
import { nameOf, order, Shop, statesOf, watch } from './shop.ts'

/** Can be asked, and knows nothing. */
const profile: ServerProfile = {
  ...businessNumber({ place: { header: 'idempotency-key' } }),
  recover: async () => ({ is: 'unknown' }),
}

function open(
  shop: Shop,
  options: Parameters<Shop['open']>[0] = {},
): Tab & { readonly disk: BreakableDisk } {
  const page = shop.world.page()
  const disk = breakableDisk(page.store)
  return { disk, ...shop.open({ storage: disk.store, ...options }, page) }
}

/** An order of which nobody knows, while the disk did not take that down. */
async function unknownInMemory(shop: Shop): Promise<Tab> {
  shop.server.next('lose-reply')
  const tab = open(shop, { retry: { maxAttempts: 1 } })
  const sent = watch(tab.client.submit('checkout', order()))
  await shop.arrivals(1)
  tab.disk.failsOnce()
  await shop.world.settle()
  expect(sent.value).toMatchObject({ state: 'unknown', reason: 'attempts' })
  return tab
}

describe('a disk that has failed once', () => {
  it('hears of a discard: it is given up after a reload too', async () => {
    const shop = new Shop()
    const { client, page } = await unknownInMemory(shop)
    await shop.ending(client.operation('checkout').discard())
    await shop.world.settle()
    const next = shop.open({}, page.reload())
    expect(await shop.ending(next.client.resumeAll())).toEqual([])
    expect(shop.log).toHaveLength(1)
  })

  it('hears of forget(): the body is erased', async () => {
    const shop = new Shop()
    const { client } = await unknownInMemory(shop)
    await shop.ending(client.forget())
    await shop.world.settle()
    expect(shop.stored()).toMatchObject({ stub: 'forgotten' })
  })

  it('keeps what another tab has brought to its end', async () => {
    const shop = new Shop()
    shop.server.next('lose-reply')
    const retry = { baseDelayMs: 90_000, maxDelayMs: 90_000, deadlineMs: 600_000, maxAttempts: 2 }
    const here = open(shop, { retry })
    const states = statesOf(here.client)
    watch(here.client.submit('checkout', order()))
    await shop.arrivals(1)
    here.disk.fails()
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    // Its wait is in memory. On the disk it is still being sent, and goes on elsewhere once the lease is over.
    const there = shop.open()
    const outcome = await shop.ending(there.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded' })
    here.disk.works()
    shop.server.next('hang')
    await shop.world.settle()
    expect(shop.stored()).toMatchObject({ phase: { is: 'succeeded' } })
  })
})

describe('a disk that cannot be read', () => {
  it.each(['resume', 'recover', 'discard'] as const)('%s rejects with storage', async how => {
    const shop = new Shop()
    const here = open(shop, { profile, retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    await shop.ending(here.client.submit('checkout', order()))
    here.disk.fails()
    const done = watch<unknown>(here.client.operation('checkout')[how]())
    await shop.world.settle()
    expect(done.error).toMatchObject({ name: 'SendonceError', code: 'storage' })
  })

  it('shows nobody at work for longer than a lease', async () => {
    const shop = new Shop()
    shop.server.next('hang')
    const there = shop.open()
    watch(there.client.submit('checkout', order()))
    await shop.arrivals(1)
    const here = open(shop)
    const handle = here.client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.run(() => nameOf(handle.getSnapshot()) === 'sending there')
    there.page.freeze()
    here.disk.fails()
    await shop.world.wait(60_000)
    expect(nameOf(handle.getSnapshot())).toBe('unknown:interrupted')
  })

  it('adopt rejects with storage', async () => {
    const shop = new Shop()
    const here = open(shop)
    await shop.ending(here.client.submit('checkout', order()))
    here.disk.fails()
    const done = watch(here.client.adopt('guest'))
    await shop.world.settle()
    expect(done.error).toMatchObject({ name: 'SendonceError', code: 'storage' })
  })
})
