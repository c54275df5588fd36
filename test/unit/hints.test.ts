import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDevelopmentHints } from '../../src/development-hints.ts'
import { hintBy } from '../../src/hints.ts'
import { order, Shop } from './shop.ts'

const said: string[] = []
beforeEach(() => {
  said.length = 0
  hintBy(createDevelopmentHints)
  vi.spyOn(console, 'warn').mockImplementation(line => void said.push(line))
})
afterEach(() => {
  hintBy(undefined)
  vi.restoreAllMocks()
})

describe('the name of an operation', () => {
  it.each([
    ['the time', () => `checkout-${Date.now()}`],
    ['the time in seconds', () => `checkout-${Math.floor(Date.now() / 1000)}`],
    ['Math.random()', () => `checkout-${Math.random()}`],
  ])('that is made of %s gets a hint, once', async (_, name) => {
    const shop = new Shop()
    vi.spyOn(Date, 'now').mockImplementation(() => shop.world.now())
    const { client } = shop.open()
    await shop.ending(client.submit(name(), order()))
    await shop.ending(client.submit(name(), order({ item: 'pen' })))
    expect(said).toEqual([expect.stringMatching(/random number or by the time.*checkout:cart-42/)])
  })

  it.each([
    'checkout:cart-42',
    'checkout:3b241101-e2bb-4255-8caf-4136c566a962',
    'order-4000000000',
  ])('that is about something gets none: %s', async name => {
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.submit(name, order()))
    await shop.ending(client.submit(name, order()))
    expect(said).toEqual([])
  })

  it('that differs at a double click gets a hint', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    void client.submit('checkout:k3f9', order())
    await shop.ending(client.submit('checkout:x81a', order()))
    expect(said).toEqual([
      expect.stringMatching(/same request was submitted as "checkout:k3f9".*"checkout:x81a"/),
    ])
  })

  it('that two forms share gets a hint', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.submit('submit', order()))
    await shop.ending(client.submit('submit', { ...order(), url: 'http://shop.test/api/other' }))
    expect(said).toEqual([
      expect.stringMatching(/"submit" was submitted to POST .*orders, and now to/),
    ])
  })
})

describe('a fixed scope', () => {
  const signedOut = (shop: Shop) => shop.server.next({ is: 'status', status: 401 })

  it('gets a hint when the server asks for another sign-in', async () => {
    const shop = new Shop()
    const { client } = shop.open({ scope: 'guest' })
    signedOut(shop)
    expect(await shop.ending(client.submit('checkout', order()))).toMatchObject({
      reason: 'unauthorized',
    })
    expect(said).toEqual([expect.stringMatching(/always "guest".*scope: \(\) =>/)])
  })

  it('gets none where it is a function', async () => {
    const shop = new Shop()
    const { client } = shop.open({ scope: () => 'ada' })
    signedOut(shop)
    await shop.ending(client.submit('checkout', order()))
    expect(said).toEqual([])
  })
})

it('says so where a page answers in the place of an API', async () => {
  const shop = new Shop()
  const { client } = shop.open()
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  shop.world.server = async () => new Response('<!doctype html><title>Shop</title>', { headers })
  await shop.ending(client.submit('checkout', order()))
  expect(said).toEqual([expect.stringMatching(/answers with a page \(text\/html\).*index\.html/)])
})

it('says nothing in the build that people get', async () => {
  hintBy(undefined)
  const shop = new Shop()
  const { client } = shop.open()
  await shop.ending(client.submit(`checkout-${Math.random()}`, order()))
  expect(said).toEqual([])
})
