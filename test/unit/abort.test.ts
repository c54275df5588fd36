import type { KyLike } from 'sendonce'
import { describe, expect, it } from 'vitest'
import type { Kind } from '../support/world/agenda.ts'
import { keyOf, order, Shop, statesOf, watch } from './shop.ts'

describe('a signal that is aborted before the first byte', () => {
  it('before the submit: nothing is minted, stored or sent', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const signal = AbortSignal.abort()
    await expect(client.submit('checkout', { ...order(), signal })).rejects.toMatchObject({
      code: 'aborted',
    })
    await shop.world.settle()
    expect(shop.records.records()).toEqual([])
    expect(shop.log).toEqual([])
  })

  it.each<Kind>(['digest', 'store', 'stored'])(
    'at %s: nothing is left of it, and the next submit has a new key',
    async kind => {
      const shop = new Shop()
      const { client } = shop.open()
      const controller = new AbortController()
      await shop.world.settle()
      shop.world.at = point => {
        if (point.kind !== kind) return
        shop.world.at = undefined
        controller.abort()
      }
      // What is small is summed up at once, and waits for no digest.
      const large = order({ note: 'x'.repeat(3_000) })
      const sent = watch(client.submit('checkout', { ...large, signal: controller.signal }))
      await shop.world.settle()
      expect(sent.error).toMatchObject({ name: 'SendonceError', code: 'aborted' })
      expect(shop.stored()).toBeUndefined()
      expect(shop.log).toEqual([])
      expect(client.operation('checkout').getSnapshot()).toMatchObject({ state: 'idle' })
      await shop.ending(client.submit('checkout', order({ item: 'pen' })))
      expect(shop.server.ledger()).toMatchObject([{ item: 'pen' }])
    },
  )

  it('in a hook of ky: nothing is left of it', async () => {
    const shop = new Shop()
    const controller = new AbortController()
    const ky: KyLike = async (url, { fetch: send, method, headers, body, signal }) => {
      controller.abort()
      return send(url, { method, headers, body: body ?? null, signal })
    }
    const { client } = shop.open({ ky })
    const sent = watch(client.submit('checkout', { ...order(), signal: controller.signal }))
    await shop.world.settle()
    expect(sent.error).toMatchObject({ name: 'SendonceError', code: 'aborted' })
    expect(shop.stored()).toBeUndefined()
    expect(shop.log).toEqual([])
  })
})

describe('a signal that is aborted after the first byte', () => {
  it.each<Kind>(['serve', 'reply'])('at %s: unknown, and the key is kept', async kind => {
    const shop = new Shop()
    const { client, events } = shop.open()
    const states = statesOf(client)
    const controller = new AbortController()
    shop.world.at = point => {
      if (point.kind !== kind) return
      shop.world.at = undefined
      controller.abort()
    }
    const began = shop.world.now()
    const request = { ...order(), signal: controller.signal }
    const outcome = await shop.ending(client.submit('checkout', request))
    expect(shop.world.now()).toBe(began)
    expect(outcome).toMatchObject({
      state: 'unknown',
      reason: 'aborted',
      attempts: 1,
      resumable: true,
    })
    expect(states).toEqual(['idle', 'sending', 'unknown:aborted'])
    expect(events.filter(({ type }) => type === 'unanswered')).toMatchObject([
      { because: 'aborted' },
    ])
    await shop.world.settle()
    const again = await shop.ending(client.submit('checkout', order()))
    expect(again).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.placed).toBe(1)
  })

  it('while the body is read: it happened', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const controller = new AbortController()
    shop.server.next('stall-body')
    const request = { ...order(), signal: controller.signal }
    const sent = watch(client.submit('checkout', request))
    await shop.world.run(() => shop.stored()?.happened !== undefined)
    controller.abort()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded', bodyLost: true })
  })

  it('in a backoff wait ends it at once', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    const controller = new AbortController()
    shop.server.next({ is: 'status', status: 503, retryAfter: 60 })
    const request = { ...order(), signal: controller.signal }
    const sent = client.submit('checkout', request)
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    const began = shop.world.now()
    controller.abort()
    expect(await shop.ending(sent)).toMatchObject({ state: 'unknown', reason: 'aborted' })
    expect(shop.world.now()).toBe(began)
    await shop.world.settle()
    expect(shop.log).toHaveLength(1)
    expect(states.at(-1)).toBe('unknown:aborted')
  })

  it('in a wait of what was never executed pauses it', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const states = statesOf(client)
    const controller = new AbortController()
    shop.server.next({ is: 'status', status: 429, retryAfter: 60 })
    const sent = client.submit('checkout', { ...order(), signal: controller.signal })
    await shop.world.run(() => states.at(-1) === 'waiting:rate-limited')
    controller.abort()
    expect(await shop.ending(sent)).toMatchObject({ state: 'paused', reason: 'rate-limited' })
  })

  it('is left alone by what goes on by itself', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const controller = new AbortController()
    shop.server.next('hang')
    const sent = client.submit('checkout', { ...order(), signal: controller.signal })
    await shop.arrivals(1)
    controller.abort()
    await shop.ending(sent)
    expect(await shop.ending(client.resumeAll())).toEqual([])
    expect(shop.log).toHaveLength(1)
    const resumed = await shop.ending(client.operation('checkout').resume())
    expect(resumed.state).toBe('succeeded')
  })
})

describe('the signal of one of several callers', () => {
  it('ends the waiting of its own caller only', async () => {
    const shop = new Shop({ server: { workMs: 1_000 } })
    const { client } = shop.open()
    const controller = new AbortController()
    const first = watch(client.submit('checkout', order()))
    const joined = watch(client.submit('checkout', { ...order(), signal: controller.signal }))
    await shop.arrivals(1)
    await shop.world.wait(100)
    controller.abort()
    await shop.world.run()
    expect(joined.value).toMatchObject({ state: 'unknown', reason: 'aborted' })
    expect(first).toEqual({})
    await shop.world.settle()
    expect(first.value).toMatchObject({ state: 'succeeded', attempts: 1 })
  })

  it('of the first leaves the joiner’s loop running', async () => {
    const shop = new Shop({ server: { workMs: 1_000 } })
    const { client } = shop.open()
    const controller = new AbortController()
    const first = watch(client.submit('checkout', { ...order(), signal: controller.signal }))
    const joined = watch(client.submit('checkout', order()))
    await shop.arrivals(1)
    await shop.world.wait(100)
    controller.abort()
    await shop.world.settle()
    expect(first.value).toMatchObject({ state: 'unknown', reason: 'aborted' })
    expect(joined.value).toMatchObject({ state: 'succeeded' })
  })

  it('of the last stops the loop', async () => {
    const shop = new Shop({ server: { workMs: 1_000 } })
    const { client } = shop.open()
    const controller = new AbortController()
    const request = { ...order(), signal: controller.signal }
    const both = Promise.all([
      client.submit('checkout', request),
      client.submit('checkout', request),
    ])
    await shop.arrivals(1)
    await shop.world.wait(100)
    controller.abort()
    expect(await shop.ending(both)).toMatchObject([
      { state: 'unknown', reason: 'aborted' },
      { state: 'unknown', reason: 'aborted' },
    ])
  })

  it('aborted before anything was sent tells each caller so', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const controller = new AbortController()
    const first = watch(client.submit('checkout', order()))
    const joined = watch(client.submit('checkout', { ...order(), signal: controller.signal }))
    controller.abort()
    await shop.world.settle()
    expect(joined.error).toMatchObject({ code: 'aborted' })
    expect(first.value).toMatchObject({ state: 'succeeded' })
  })

  it('is over for a resume that comes at once', async () => {
    const shop = new Shop()
    shop.server.next('lose-reply')
    const { client } = shop.open({ retry: { baseDelayMs: 20_000 } })
    const states = statesOf(client)
    const stop = new AbortController()
    const sent = watch(client.submit('checkout', { ...order(), signal: stop.signal }))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    stop.abort()
    const resumed = watch(client.operation('checkout').resume())
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown', reason: 'aborted' })
    expect(resumed.value).toMatchObject({ state: 'succeeded' })
  })

  it('does nothing after its outcome', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const controller = new AbortController()
    await shop.ending(client.submit('checkout', { ...order(), signal: controller.signal }))
    controller.abort()
    await shop.world.settle()
    expect(client.operation('checkout').getSnapshot()).toMatchObject({ state: 'succeeded' })
  })
})
