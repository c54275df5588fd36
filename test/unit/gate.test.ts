import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

describe('two submits in one task', () => {
  it('are one order with one answer', async () => {
    const shop = new Shop()
    const { client, events } = shop.open()
    const both = Promise.all([
      client.submit('checkout', order()),
      client.submit('checkout', order()),
    ])
    const [first, second] = await shop.ending(both)
    expect(first).toMatchObject({ state: 'succeeded', attempts: 1 })
    expect(keyOf(second)).toBe(keyOf(first))
    expect(second).toMatchObject({ state: 'succeeded', data: { id: 'order-1' } })
    expect(events.filter(({ type }) => type === 'joined')).toHaveLength(1)
    expect(shop.log).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('are one however their members are ordered', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const { json, url } = order()
    const turned = Object.fromEntries(Object.entries(json).reverse())
    await shop.ending(
      Promise.all([
        client.submit('checkout', order()),
        client.submit('checkout', { url, json: turned }),
      ]),
    )
    expect(shop.placed).toBe(1)
  })

  it('are two where their operations are', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(
      Promise.all([client.submit('checkout:1', order()), client.submit('checkout:2', order())]),
    )
    expect(shop.keys).toHaveLength(2)
    expect(shop.placed).toBe(2)
  })

  it('are two where their clients have other names', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    const other = shop.open({ name: 'other' }, page)
    await shop.ending(
      Promise.all([client.submit('checkout', order()), other.client.submit('checkout', order())]),
    )
    expect(shop.keys).toHaveLength(2)
  })

  it('read what is submitted at once: what the caller changes later is not sent', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const request = order()
    const sent = client.submit('checkout', request)
    request.json.item = 'pen'
    request.url = 'http://shop.test/api/plain/orders'
    await shop.ending(sent)
    expect(shop.server.ledger()).toMatchObject([{ item: 'book', path: '/api/orders' }])
  })
})

describe('a second submit while the first is under way', () => {
  it.each([0, 1, 50, 300])('%i ms later meets it', async ms => {
    const shop = new Shop({ server: { workMs: 1_000 } })
    const { client } = shop.open()
    const first = client.submit('checkout', order())
    await shop.world.wait(ms)
    const [one, two] = await shop.ending(Promise.all([first, client.submit('checkout', order())]))
    expect(keyOf(two)).toBe(keyOf(one))
    expect(shop.log).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('meets it in a wait, too', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 5 })
    const first = client.submit('checkout', order())
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    const [one, two] = await shop.ending(Promise.all([first, client.submit('checkout', order())]))
    expect([one, two]).toMatchObject([
      { state: 'succeeded', attempts: 2 },
      { state: 'succeeded', attempts: 2 },
    ])
    expect(shop.log).toHaveLength(2)
  })

  it('meets it from another handle and from resume()', async () => {
    const shop = new Shop({ server: { workMs: 100 } })
    const { client } = shop.open()
    const first = client.submit('checkout', order())
    await shop.arrivals(1)
    const [one, two] = await shop.ending(
      Promise.all([first, client.operation('checkout').resume()]),
    )
    expect(keyOf(two)).toBe(keyOf(one))
    expect(shop.log).toHaveLength(1)
  })

  it('has its own parse', async () => {
    const shop = new Shop({ server: { workMs: 100 } })
    const { client } = shop.open()
    const first = client.submit('checkout', { ...order(), parse: () => 'first' })
    const second = client.submit('checkout', { ...order(), parse: () => 'second' })
    expect(await shop.ending(Promise.all([first, second]))).toMatchObject([
      { state: 'succeeded', data: 'first' },
      { state: 'succeeded', data: 'second' },
    ])
  })

  it('meets the first across clients of one page that share the store', async () => {
    const shop = new Shop({ server: { workMs: 1_000 } })
    const { page, client } = shop.open()
    const other = shop.open({}, page)
    const both = [client.submit('checkout', order()), other.client.submit('checkout', order())]
    const [one, two] = await shop.ending(Promise.all(both))
    expect(one && two && keyOf(one) === keyOf(two)).toBe(true)
    expect(shop.placed).toBe(1)
  })
})

describe('a handle', () => {
  it('is the same object for the same name while anyone holds it', () => {
    const { client } = new Shop().open()
    expect(client.operation('checkout')).toBe(client.operation('checkout'))
    expect(client.operation('checkout')).not.toBe(client.operation('other'))
  })

  it('has a stable snapshot until something changes', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const handle = client.operation('checkout')
    expect(handle.getSnapshot()).toEqual({ state: 'idle', operation: 'checkout', read: false })
    expect(handle.getSnapshot()).toBe(handle.getSnapshot())
    await shop.ending(client.submit('checkout', order()))
    expect(handle.getSnapshot()).toMatchObject({ state: 'succeeded' })
    expect(handle.getSnapshot()).toBe(handle.getSnapshot())
  })

  it('reads the record when somebody subscribes', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const handle = client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.run()
    expect(handle.getSnapshot()).toEqual({ state: 'idle', operation: 'checkout', read: true })
  })

  it('stops telling a listener that went', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    let heard = 0
    const stop = client.operation('checkout').subscribe(() => {
      heard += 1
    })
    stop()
    await shop.ending(client.submit('checkout', order()))
    expect(heard).toBe(0)
  })

  it('shows the whole course of an order', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(states).toEqual(['idle', 'sending', 'succeeded'])
    expect(client.operation('checkout').getSnapshot()).toMatchObject({
      operation: 'checkout',
      state: 'succeeded',
      key: keyOf(outcome),
      attempts: 1,
      durable: true,
      from: 'reply',
      bodyLost: false,
      data: { id: 'order-1', item: 'book', amount: 42 },
    })
  })

  it('has nothing to resume where nothing was submitted', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const resumed = watch(client.operation('checkout').resume())
    await shop.world.settle()
    expect(resumed.error).toMatchObject({ name: 'SendonceError', code: 'invalid-argument' })
    expect(shop.log).toEqual([])
  })
})
