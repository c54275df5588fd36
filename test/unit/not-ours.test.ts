import type { FaultInput } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { keyOf, ORDERS, order, Shop } from './shop.ts'

describe('a 2xx that need not be the server’s', () => {
  it.each<FaultInput>(['sign-in', 'captive-portal', 'opaque', 202])(
    '%s is no success',
    async fault => {
      const shop = new Shop()
      const { client } = shop.open({ retry: { maxAttempts: 1 } })
      shop.server.next(fault)
      const outcome = await shop.ending(client.submit('checkout', order()))
      expect(outcome).toMatchObject({ state: 'unknown', reason: 'attempts', resumable: true })
      const again = await shop.ending(client.operation('checkout').resume())
      expect(again.state).toBe('succeeded')
      expect(keyOf(again)).toBe(keyOf(outcome))
      expect(shop.placed).toBe(1)
    },
  )

  it.each<FaultInput>(['sign-in', 'captive-portal', 'opaque', 202])(
    '%s is asked again with the same key',
    async fault => {
      const shop = new Shop()
      const { client } = shop.open()
      shop.server.next(fault)
      const outcome = await shop.ending(client.submit('checkout', order()))
      expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
      expect(shop.keys).toEqual([keyOf(outcome)])
      expect(shop.bodies).toHaveLength(1)
      expect(shop.placed).toBe(1)
    },
  )

  it('a 204 of the server is a success without data', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.world.server = async () => new Response(null, { status: 204 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', data: undefined, bodyLost: false })
  })
})

describe('a redirect that keeps method and body', () => {
  it.each([307, 308])('%i reaches the server with key, method and body', async status => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next(status)
    const outcome = await shop.ending(client.submit('checkout', { ...order(), method: 'PUT' }))
    expect(shop.log.map(({ method, path }) => [method, path])).toEqual([
      ['PUT', new URL(ORDERS).pathname],
      ['PUT', new URL(ORDERS).pathname],
    ])
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('is not believed by itself, and asked again', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    shop.server.next(308)
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.placed).toBe(1)
  })
})
