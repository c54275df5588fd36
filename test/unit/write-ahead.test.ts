import type { OperationStore } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, watch } from './shop.ts'

/** A store of which a test decides when, and whether, a transaction commits. */
function gated(store: OperationStore): {
  store: OperationStore
  waiting: number
  commit: () => void
  abort: () => void
} {
  const pending: { commit: () => void; abort: () => void }[] = []
  const gate = {
    get waiting() {
      return pending.length
    },
    commit: () => pending.shift()?.commit(),
    abort: () => pending.shift()?.abort(),
    store: {
      ...store,
      change<R>(...asked: Parameters<typeof store.change<R>>): Promise<R> {
        return new Promise((resolve, reject) => {
          pending.push({
            commit: () => void store.change(...asked).then(resolve, reject),
            abort() {
              // The request succeeded and was heard of; then the transaction was aborted.
              const [, decide] = asked
              decide(undefined)
              reject(new DOMException('The transaction was aborted.', 'AbortError'))
            },
          })
        })
      },
    },
  }
  return gate
}

describe('the record that names the key', () => {
  it('is committed before its request is seen', async () => {
    const shop = new Shop()
    const page = shop.world.page()
    const disk = gated(page.store)
    const { client } = shop.open({ storage: disk.store }, page)
    const sent = watch(client.submit('checkout', order()))
    await shop.world.wait(20_000)
    expect(disk.waiting).toBe(1)
    expect(shop.log).toEqual([])
    disk.commit()
    await shop.world.run()
    expect(shop.log).toHaveLength(1)
    expect(shop.stored()).toMatchObject({ key: shop.keys[0], attempt: 1, ambiguous: 1 })
    disk.commit()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded' })
  })

  it('that took longer than its lease sends nothing, and is claimed again', async () => {
    const shop = new Shop()
    const page = shop.world.page()
    const disk = gated(page.store)
    const { client } = shop.open({ storage: disk.store }, page)
    const sent = watch(client.submit('checkout', order()))
    await shop.world.wait(60_000)
    disk.commit()
    await shop.world.run()
    expect(shop.log).toEqual([])
    while (!sent.value) {
      disk.commit()
      await shop.world.wait(10)
    }
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.log).toHaveLength(1)
  })

  it('counts each further attempt before it is seen', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const counted: unknown[] = []
    shop.server.next('lose-request', { requests: 2 })
    shop.world.at = ({ kind }) => {
      if (kind !== 'serve') return
      const { key, attempt, ambiguous } = shop.stored() ?? {}
      counted.push({ key, attempt, ambiguous })
    }
    const key = keyOf(await shop.ending(client.submit('checkout', order())))
    expect(counted).toEqual([
      { key, attempt: 1, ambiguous: 1 },
      { key, attempt: 2, ambiguous: 2 },
      { key, attempt: 3, ambiguous: 3 },
    ])
  })

  it('that was aborted after its request succeeded: refuse sends nothing', async () => {
    const shop = new Shop()
    const page = shop.world.page()
    const disk = gated(page.store)
    const { client } = shop.open({ storage: disk.store, onStorageFailure: 'refuse' }, page)
    const sent = watch(client.submit('checkout', order()))
    await shop.world.run()
    disk.abort()
    await shop.world.settle()
    expect(sent.error).toMatchObject({
      name: 'SendonceError',
      code: 'storage',
      cause: { name: 'AbortError' },
    })
    expect(shop.log).toEqual([])
  })

  it('that was aborted after its request succeeded: memory sends, and says durable: false', async () => {
    const shop = new Shop()
    const page = shop.world.page()
    const disk = gated(page.store)
    const { client, events } = shop.open({ storage: disk.store }, page)
    shop.server.next('lose-reply')
    const sent = watch(client.submit('checkout', order()))
    await shop.world.run()
    disk.abort()
    await shop.world.run()
    expect(client.operation('checkout').getSnapshot()).toMatchObject({ durable: false })
    while (disk.waiting > 0) disk.abort()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded', durable: false, attempts: 2 })
    expect(events.filter(({ type }) => type === 'not-durable')).toMatchObject([
      { operation: 'checkout', cause: { name: 'AbortError' } },
    ])
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('may be refused for one submit only', async () => {
    const shop = new Shop()
    const page = shop.world.page()
    const disk = gated(page.store)
    const { client } = shop.open({ storage: disk.store }, page)
    const sent = watch(
      client.submit('checkout', { ...order(), onStorageFailure: 'refuse' as const }),
    )
    await shop.world.run()
    disk.abort()
    await shop.world.settle()
    expect(sent.error).toMatchObject({ code: 'storage' })
    expect(shop.log).toEqual([])
  })
})

describe('the success', () => {
  it('is told as soon as the reply is read, while it is being written', async () => {
    const shop = new Shop()
    const page = shop.world.page()
    const disk = gated(page.store)
    const { client } = shop.open({ storage: disk.store }, page)
    const sent = watch(client.submit('checkout', order()))
    await shop.world.run()
    disk.commit()
    await shop.world.run()
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.stored()?.phase).toMatchObject({ is: 'sending' })
    while (disk.waiting > 0) disk.commit()
    await shop.world.run()
    expect(shop.stored()?.phase).toMatchObject({ is: 'succeeded' })
  })

  it('is told before a transaction for it is opened, and no task comes between them', async () => {
    const shop = new Shop()
    const page = shop.world.page()
    const disk = gated(page.store)
    const { client } = shop.open({ storage: disk.store }, page)
    let opened: number | undefined
    const sent = watch(
      client.submit('checkout', order()).then(() => {
        opened = disk.waiting
      }),
    )
    await shop.world.run()
    disk.commit()
    await shop.world.run(() => 'value' in sent)
    expect(opened).toBe(0)
    expect(disk.waiting).toBe(1)
  })

  it('is written while the parse of an app takes its time', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const sent = watch(
      client.submit('checkout', { ...order(), parse: () => new Promise(() => {}) }),
    )
    await shop.arrivals(1)
    await shop.world.wait(1_000)
    expect(sent).toEqual({})
    expect(shop.stored()?.phase).toMatchObject({ is: 'succeeded' })
  })

  it('is waited for by the lock: another tab does not send before it is written', async () => {
    const shop = new Shop()
    const page = shop.world.page()
    const disk = gated(page.store)
    const a = shop.open({ storage: disk.store }, page)
    const b = shop.open()
    const sent = watch(a.client.submit('checkout', order()))
    await shop.world.run()
    disk.commit()
    await shop.world.run()
    const other = watch(b.client.submit('checkout', order()))
    await shop.world.wait(5_000)
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(other).toEqual({})
    while (disk.waiting > 0) disk.commit()
    await shop.world.wait(1_000)
    expect(other.value).toMatchObject({ state: 'succeeded', from: 'store' })
    expect(sent.value && other.value && keyOf(sent.value) === keyOf(other.value)).toBe(true)
    expect(shop.log).toHaveLength(1)
  })
})
