import { crossOriginFetch } from 'sendonce/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDevelopmentHints } from '../../src/development-hints.ts'
import { hintBy } from '../../src/hints.ts'
import { order, Shop } from './shop.ts'

const PAGE = 'https://app.test'

/** A shop on another origin than the page, which allows and shows what it is told to. */
function elsewhere(options: Omit<Parameters<typeof crossOriginFetch>[1], 'origin'>) {
  const shop = new Shop()
  const send = crossOriginFetch(shop.server, { origin: PAGE, ...options })
  shop.world.server = request => send(request)
  return shop
}

beforeEach(() => {
  vi.stubGlobal('location', new URL(`${PAGE}/checkout`))
  hintBy(createDevelopmentHints())
})
afterEach(() => {
  hintBy(undefined)
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('a server on another origin', () => {
  it('whose preflight refuses the key ends, and the developer is told what to allow', async () => {
    const said = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const shop = elsewhere({ allowHeaders: ['content-type'] })
    const { client } = shop.open()
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'attempts' })
    expect(shop.placed).toBe(0)
    expect(said.mock.calls).toEqual([
      [expect.stringMatching(/http:\/\/shop\.test .*https:\/\/app\.test.*idempotency-key/)],
    ])
  })

  it('that answers gets no hint, though an attempt is lost', async () => {
    const said = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const shop = elsewhere({})
    const { client } = shop.open()
    await shop.ending(client.submit('one', order()))
    shop.server.next('lose-reply', { requests: 3 })
    expect(await shop.ending(client.submit('two', order({ item: 'pen' })))).toMatchObject({
      state: 'succeeded',
    })
    expect(said).not.toHaveBeenCalled()
  })

  it('that hides Retry-After is asked again at the default pace', async () => {
    const shop = elsewhere({ exposeHeaders: [] })
    const { client, events } = shop.open()
    shop.server.next({ is: 'status', status: 503, retryAfter: 60 })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    const waits = events.flatMap(event =>
      event.type === 'waiting' ? [{ ms: Number(event.nextAttemptAt) - event.at }] : [],
    )
    expect(waits).toHaveLength(1)
    // The longest first backoff, and not the 60 s that nobody can see.
    expect(waits[0]?.ms).toBeLessThanOrEqual(500)
  })

  it('that hides its replay marker gives a plain reply', async () => {
    const shop = elsewhere({ exposeHeaders: [] })
    const { client } = shop.open()
    shop.server.next('lose-reply')
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'reply', attempts: 2 })
    expect(shop.placed).toBe(1)
  })
})
