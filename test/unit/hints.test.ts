import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDevelopmentHints } from '../../src/development-hints.ts'
import { hintBy } from '../../src/hints.ts'
import type { SubmitRequest } from '../../src/request.ts'
import type { Tab } from './shop.ts'
import { ORDERS, order, Shop } from './shop.ts'

const said: string[] = []
beforeEach(() => {
  said.length = 0
  hintBy(createDevelopmentHints())
  vi.spyOn(console, 'warn').mockImplementation(line => void said.push(line))
})
afterEach(() => {
  hintBy(undefined)
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
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

describe('what an earlier visit has left unknown', () => {
  const form = (at: string, note: string): SubmitRequest => {
    const fields = new FormData()
    fields.set('at', at)
    fields.set('note', note)
    return { url: ORDERS, form: fields }
  }
  async function left(shop: Shop, submit: SubmitRequest): Promise<Tab> {
    const { page, client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const outcome = await shop.ending(client.submit('checkout:k3f9', submit))
    expect(outcome).toMatchObject({ state: 'unknown' })
    expect(said).toEqual([])
    return shop.open({}, page.reload())
  }

  it('and is submitted under another name gets a hint', async () => {
    const shop = new Shop()
    const { client } = await left(shop, order())
    await shop.ending(client.submit('checkout:x81a', order()))
    expect(said).toEqual([expect.stringMatching(/as "checkout:k3f9" before.*"checkout:x81a"/)])
  })

  it.each<[what: string, before: SubmitRequest, now: SubmitRequest, named: string]>([
    ['a member', order({ sentAt: 1 }), order({ sentAt: 2 }), '/sentAt'],
    [
      'a member in a member',
      order({ a: { 'b/c': [1, 2] } }),
      order({ a: { 'b/c': [1, 3] } }),
      '/a/b~1c/1',
    ],
    ['a field', form('1', 'Ring\ntwice'), form('2', 'Ring\ntwice'), '/at'],
    [
      'one that does not count',
      { ...order({ at: 1, by: 1 }), volatile: ['/by'] },
      { ...order({ at: 2, by: 2 }), volatile: ['/by'] },
      '/at',
    ],
  ])('and is submitted with %s changed is told which', async (_, before, now, named) => {
    const shop = new Shop()
    const { client } = await left(shop, before)
    const changed = shop.ending(client.submit('checkout:k3f9', now))
    await expect(changed).rejects.toMatchObject({ code: 'payload-changed' })
    await shop.ending(client.idle())
    expect(said).toEqual([expect.stringContaining(`differ in ${named}. `)])
    expect(said[0]).toContain(`volatile: ${JSON.stringify([named])}`)
  })

  it('gets none where it is the same, or another thing altogether', async () => {
    const shop = new Shop()
    const { client } = await left(shop, order())
    await shop.ending(client.submit('checkout:k3f9', order()))
    await shop.ending(client.submit('checkout:b7d2', order({ item: 'pen' })))
    expect(said).toEqual([])
  })
})

it('leaves no rejection to the page where a body cannot be read', async () => {
  const shop = new Shop()
  const { client } = shop.open()
  const file = new File(['a'], 'a.txt')
  file.arrayBuffer = () => Promise.reject(new DOMException('It has changed.', 'NotReadableError'))
  const form = new FormData()
  form.set('file', file)
  vi.spyOn(form, Symbol.iterator).mockImplementation(
    () => [['file', file]][Symbol.iterator]() as never,
  )
  const unhandled = vi.fn()
  process.once('unhandledRejection', unhandled)
  const sent = shop.ending(client.submit('checkout', { url: ORDERS, form }))
  await expect(sent).rejects.toMatchObject({ code: 'body' })
  await new Promise(resolve => setTimeout(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

describe('a submit before anybody has touched the page', () => {
  const untouched = (hasBeenActive: boolean) =>
    vi.stubGlobal('navigator', { userActivation: { hasBeenActive } })

  it('gets a hint', async () => {
    untouched(false)
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.submit('checkout', order()))
    expect(said).toEqual([expect.stringMatching(/"checkout".*in an effect.*once: true/)])
  })

  it('gets none where it may be made again, or somebody has', async () => {
    untouched(false)
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.submit('checkout', { ...order(), once: true }))
    untouched(true)
    await shop.ending(client.submit('checkout', order({ item: 'pen' })))
    expect(said).toEqual([])
  })
})

it('says so once where clients are made again and again, and not where there are several', () => {
  vi.stubGlobal('navigator', { userActivation: { hasBeenActive: true } })
  const shop = new Shop()
  for (let made = 0; made < 9; made += 1) shop.open()
  shop.open({ name: 'admin' })
  expect(said).toEqual([])
  for (let made = 0; made < 30; made += 1) shop.open()
  expect(said).toEqual([expect.stringMatching(/10 clients named "default".*outside of your comp/)])
})

it('says nothing of clients that are made now and then, or for each test', async () => {
  const shop = new Shop()
  for (let made = 0; made < 20; made += 1) shop.open()
  await shop.world.wait(60_000)
  vi.stubGlobal('navigator', { userActivation: { hasBeenActive: true } })
  for (let made = 0; made < 20; made += 1) {
    shop.open()
    await shop.world.wait(2_000)
  }
  expect(said).toEqual([])
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
