import type { OperationStore } from 'sendonce'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

afterEach(() => vi.unstubAllGlobals())

/** A store that a test can break. */
function breakable(store: OperationStore): { broken: boolean; store: OperationStore } {
  const disk = {
    broken: false,
    store: {
      ...store,
      change: <R>(...asked: Parameters<typeof store.change<R>>) =>
        disk.broken ? Promise.reject<R>(failure()) : store.change(...asked),
      list: (name: string, scope: string) =>
        disk.broken ? Promise.reject(failure()) : store.list(name, scope),
    },
  }
  return disk
}

const failure = () => new DOMException('No room left.', 'QuotaExceededError')

/** A `localStorage` that outlives its page, as a browser’s does. */
function siteData(): void {
  const data = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => data.get(name) ?? null,
    setItem: (name: string, value: string) => void data.set(name, value),
  })
}

function open(shop: Shop, options: Parameters<Shop['open']>[0] = {}) {
  const page = shop.world.page()
  const disk = breakable(page.store)
  return { disk, ...shop.open({ storage: disk.store, ...options }, page) }
}

describe('a browser that has never stored anything', () => {
  it('keeps the key in memory: retries, joins and shows that it is not durable', async () => {
    const shop = new Shop()
    const { disk, client, events } = open(shop)
    disk.broken = true
    const states = statesOf(client)
    shop.server.next('lose-reply')
    const both = Promise.all([
      client.submit('checkout', order()),
      client.submit('checkout', order()),
    ])
    const [outcome] = await shop.ending(both)
    expect(outcome).toMatchObject({ state: 'succeeded', durable: false, attempts: 2 })
    expect(states).toEqual(['idle', 'sending', 'waiting:backoff', 'sending', 'succeeded'])
    expect(events.filter(({ type }) => type === 'not-durable')).toHaveLength(1)
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.placed).toBe(1)
  })

  it('refuses where the app says so', async () => {
    const shop = new Shop()
    const { disk, client } = open(shop, { onStorageFailure: 'refuse' })
    disk.broken = true
    const sent = client.submit('checkout', order())
    await expect(shop.ending(sent)).rejects.toMatchObject({
      code: 'storage',
      cause: { name: 'QuotaExceededError' },
    })
    expect(shop.log).toEqual([])
    expect(client.operation('checkout').getSnapshot()).toMatchObject({ state: 'idle' })
  })

  it('joins a second click after the answer', async () => {
    const shop = new Shop()
    const { disk, client } = open(shop)
    disk.broken = true
    await shop.ending(client.submit('checkout', order()))
    const second = await shop.ending(client.submit('checkout', order()))
    expect(second).toMatchObject({ state: 'succeeded', from: 'store' })
    expect(shop.placed).toBe(1)
  })
})

describe('a store that has worked and now fails', () => {
  it('may hold an unsettled key: nothing is sent', async () => {
    const shop = new Shop()
    const { disk, client } = open(shop, { retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', order()))
    disk.broken = true
    await expect(shop.ending(client.submit('other', order()))).rejects.toMatchObject({
      code: 'storage',
    })
    await expect(shop.ending(client.unsettled())).rejects.toMatchObject({ code: 'storage' })
    expect(shop.log).toHaveLength(1)
  })

  it('is known to have worked after a reload', async () => {
    siteData()
    const shop = new Shop()
    const first = open(shop)
    await shop.ending(first.client.submit('checkout', order()))
    first.page.kill()
    const second = open(shop)
    second.disk.broken = true
    const sent = second.client.submit('checkout', order())
    await expect(shop.ending(sent)).rejects.toMatchObject({ code: 'storage' })
    expect(shop.log).toHaveLength(1)
  })

  it('is asked again by the next submit', async () => {
    const shop = new Shop()
    const { disk, client } = open(shop)
    await shop.ending(client.submit('first', order()))
    disk.broken = true
    const failed = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(failed.error).toMatchObject({ code: 'storage' })
    disk.broken = false
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', durable: true, attempts: 1 })
  })
})

describe('storage that is lost after the first send', () => {
  it('does not stop the operation: the same key goes on', async () => {
    const shop = new Shop()
    const { disk, client, events } = open(shop)
    shop.server.next('lose-reply', { requests: 2 })
    const sent = client.submit('checkout', order())
    await shop.arrivals(1)
    disk.broken = true
    const outcome = await shop.ending(sent)
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 3, from: 'replay' })
    expect(outcome).toMatchObject({ durable: false })
    expect(events.filter(({ type }) => type === 'not-durable')).toHaveLength(1)
    expect(shop.keys).toHaveLength(1)
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('does not stop it where the app refuses, either', async () => {
    const shop = new Shop()
    const { disk, client } = open(shop, { onStorageFailure: 'refuse' })
    shop.server.next('lose-reply')
    const sent = client.submit('checkout', order())
    await shop.arrivals(1)
    disk.broken = true
    expect(await shop.ending(sent)).toMatchObject({ state: 'succeeded', attempts: 2 })
  })

  it('and comes back has the outcome again', async () => {
    const shop = new Shop()
    const { disk, page, client } = open(shop)
    shop.server.next('lose-reply')
    const sent = client.submit('checkout', order())
    await shop.arrivals(1)
    disk.broken = true
    await shop.world.run(() => shop.log.length === 2)
    disk.broken = false
    const outcome = await shop.ending(sent)
    await shop.world.settle()
    expect(shop.stored()).toMatchObject({ key: outcome.key, phase: { is: 'succeeded' } })
    const tab = shop.open({}, page.reload())
    const handle = tab.client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.run()
    expect(handle.getSnapshot()).toMatchObject({ state: 'succeeded', key: outcome.key })
  })

  it('and lost with the page leaves the claim on the disk: unknown, the same key', async () => {
    const shop = new Shop()
    const { disk, page, client } = open(shop, { retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const sent = client.submit('checkout', order())
    await shop.arrivals(1)
    disk.broken = true
    const unknown = await shop.ending(sent)
    const tab = shop.open({}, page.reload())
    const outcome = await shop.ending(tab.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay', key: unknown.key })
    expect(shop.placed).toBe(1)
  })
})

describe('storage: memory', () => {
  it('touches no disk and says durable: false', async () => {
    const shop = new Shop()
    const { client, events } = shop.open({ storage: 'memory' })
    shop.server.next('lose-reply')
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', durable: false, attempts: 2 })
    expect(events.filter(({ type }) => type === 'not-durable')).toEqual([])
    expect(shop.records.records()).toEqual([])
    expect(shop.placed).toBe(1)
  })
})
