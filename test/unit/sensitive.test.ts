import { describe, expect, it } from 'vitest'
import { keyOf, order, Shop } from './shop.ts'

const secret = order({ note: 'ultramarine' })
const request = { ...secret, sensitive: true }

describe('a sensitive operation', () => {
  it('keeps neither body nor answer, at no time', async () => {
    const shop = new Shop({
      server: { routes: { '/api/orders': { reply: () => ({ receipt: 'cobalt' }) } } },
    })
    const { client } = shop.open()
    const seen: string[] = []
    shop.world.at = () => void seen.push(JSON.stringify(shop.records.records(), bytes))
    shop.server.next('lose-reply')
    const outcome = await shop.ending(client.submit('checkout', request))
    await shop.world.settle()
    expect(outcome).toMatchObject({ state: 'succeeded', data: { receipt: 'cobalt' }, attempts: 2 })
    expect(seen.length).toBeGreaterThan(5)
    for (const stored of seen) {
      expect(stored).not.toContain('ultramarine')
      expect(stored).not.toContain('cobalt')
    }
    expect(shop.stored()).toMatchObject({ sensitive: true, phase: { is: 'succeeded' } })
  })

  it('keeps no refusal’s answer either', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const wrong = { ...order({ address: '' }), sensitive: true }
    const outcome = await shop.ending(client.submit('checkout', wrong))
    expect(outcome).toMatchObject({ state: 'refused', data: { detail: 'The address is missing.' } })
    await shop.world.settle()
    expect(JSON.stringify(shop.records.records(), bytes)).not.toContain('address is missing')
  })

  it('needs the same submit again after a reload', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    shop.server.next('hang-after-effect')
    void client.submit('checkout', request)
    await shop.arrivals(1)
    const tab = shop.open({}, page.reload())
    const resumed = await shop.ending(tab.client.operation('checkout').resume())
    expect(resumed).toMatchObject({ state: 'unknown', reason: 'interrupted', resumable: false })
    expect(await shop.ending(tab.client.resumeAll())).toEqual([])
    expect(shop.log).toHaveLength(1)
    const outcome = await shop.ending(tab.client.submit('checkout', request))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(shop.keys).toEqual([keyOf(outcome)])
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('has a result for a page that died, without its answer', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    void client.submit('checkout', request)
    await shop.world.run(() => (shop.stored()?.phase as { is?: string })?.is === 'succeeded')
    const tab = shop.open({}, page.reload())
    const outcome = await shop.ending(tab.client.submit('checkout', request))
    expect(outcome).toMatchObject({
      state: 'succeeded',
      from: 'store',
      bodyLost: true,
      data: undefined,
    })
    expect(shop.placed).toBe(1)
  })
})

describe('a body that is too large to keep', () => {
  it('goes on within its page, and needs the same submit again after a reload', async () => {
    const shop = new Shop()
    const large = { url: order().url, body: 'x'.repeat(10 * 1024 * 1024 + 1) }
    const arrived: { key: string | null; bytes: number }[] = []
    shop.world.server = async request => {
      const { byteLength } = await request.arrayBuffer()
      arrived.push({ key: request.headers.get('idempotency-key'), bytes: byteLength })
      if (arrived.length < 3) throw new TypeError('Failed to fetch')
      return Response.json({ id: 'order-1' })
    }
    const { page, client } = shop.open({ retry: { maxAttempts: 2 } })
    const unknown = await shop.ending(client.submit('checkout', large))
    expect(unknown).toMatchObject({ state: 'unknown', reason: 'attempts', attempts: 2 })
    expect(JSON.stringify(shop.records.records(), bytes).length).toBeLessThan(10_000)
    const tab = shop.open({}, page.reload())
    expect(await shop.ending(tab.client.operation('checkout').resume())).toMatchObject({
      state: 'unknown',
      resumable: false,
    })
    const outcome = await shop.ending(tab.client.submit('checkout', large))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 3 })
    const sent = { key: keyOf(outcome), bytes: large.body.length }
    expect(arrived).toEqual([sent, sent, sent])
  })
})

/** Shows bytes as text, so that what is in them is found. */
function bytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : value
}

describe('the fingerprint of a sensitive operation', () => {
  it('does not tell what was sent to whoever tries', async () => {
    const plain = new Shop()
    await plain.ending(plain.open().client.submit('checkout', secret))
    const [one, other] = [new Shop(), new Shop()]
    for (const shop of [one, other])
      await shop.ending(shop.open().client.submit('checkout', request))
    const of = (shop: Shop) =>
      (shop.stored()?.request as { fingerprint: string } | undefined)?.fingerprint
    expect(of(plain)).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set([plain, one, other].map(of)).size).toBe(3)
  })
})
