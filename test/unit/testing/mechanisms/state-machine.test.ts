import { describe, expect, it } from 'vitest'
import { fiftyAtOnce, openShop, tally } from '../shop.ts'

const PAY = '/api/orders/7/pay'

const payable = (route = {}) =>
  openShop(
    { mechanisms: ['state'], ...route },
    { path: '/api/orders/:id/pay', states: { 7: { state: 'PENDING', version: 3 } } },
  )

const seven = (state: string, version: number) => ({ id: '7', state, version })

describe('a state machine', () => {
  it('moves an order once, and tells its state', async () => {
    const { server, post, get } = payable()
    expect((await get('/api/orders/7')).json).toEqual(seven('PENDING', 3))
    const first = await post({}, { state: 'PENDING', version: 3 }, PAY)
    expect([first.status, first.json]).toEqual([200, seven('PAID', 4)])
    expect(first.headers.get('etag')).toBe('"4"')
    expect((await get('/api/orders/7')).json).toEqual(seven('PAID', 4))
    expect(server.ledger({ path: PAY })).toHaveLength(1)
  })

  it('calls what is there already a success', async () => {
    const { server, post } = payable()
    await post({}, { version: 3 }, PAY)
    const repeat = await post({}, { version: 3 }, PAY)
    expect([repeat.status, repeat.json]).toEqual([200, seven('PAID', 4)])
    expect(server.log().map(({ effect }) => effect)).toEqual(['executed', 'replayed'])
    expect(server.ledger()).toHaveLength(1)
  })

  it.each([0, 100])('lets one of fifty move at once (work: %i ms)', async workMs => {
    const shop = payable({ workMs })
    const answers = await fiftyAtOnce(shop, workMs, () => shop.post({}, { version: 3 }, PAY))
    expect(tally(answers)).toEqual(workMs > 0 ? [1, [409]] : [50, []])
    expect(shop.placed).toBe(1)
    expect(shop.server.tables().states).toEqual([{ ...seven('PAID', 4), movedBy: undefined }])
  })

  it.each([
    ['a version of before in the JSON', {}, { version: 2 }, 409],
    ['a version of before in If-Match', { 'if-match': '"2"' }, {}, 412],
    ['another state', {}, { state: 'DRAFT', version: 3 }, 409],
  ])('refuses %s, with the current state', async (_, headers, json, status) => {
    const { server, post } = payable()
    const changed = await post(headers, json, PAY)
    expect([changed.status, changed.json.code]).toEqual([status, 'changed'])
    expect(changed.json.data).toEqual(seven('PENDING', 3))
    expect(server.ledger()).toHaveLength(0)
  })

  it('takes If-Match, weak or strong', async () => {
    for (const tag of ['"3"', 'W/"3"', '3']) {
      const { post } = payable()
      expect((await post({ 'if-match': tag }, {}, PAY)).status).toBe(200)
    }
  })

  it('refuses to leave an end state, whatever is expected', async () => {
    const { server, post } = payable()
    server.putState('7', 'CANCELLED')
    for (const version of [3, 4]) {
      const refused = await post({}, { version }, PAY)
      expect([refused.status, refused.json.code]).toEqual([422, 'final'])
      expect(refused.json.data).toEqual(seven('CANCELLED', 4))
    }
    expect(server.ledger()).toHaveLength(0)
  })

  it('refuses a move from a state that has none', async () => {
    const { server, post } = payable()
    server.putState('7', 'DRAFT', 9)
    expect((await post({}, { version: 9 }, PAY)).json.code).toBe('final')
  })

  it('misses orders that are not there, and a version that is not said', async () => {
    const { post, get } = payable()
    expect((await post({}, { version: 3 }, '/api/orders/8/pay')).status).toBe(404)
    expect((await get('/api/orders/8')).status).toBe(404)
    expect((await post({}, {}, PAY)).json.title).toBe('version is missing')
  })

  it('moves nothing for an order that is refused, or whose process died before', async () => {
    const { server, post } = payable()
    await post({}, { version: 3, address: ' ' }, PAY)
    server.next({ is: 'crash', effect: false })
    await expect(post({}, { version: 3 }, PAY)).rejects.toThrow(TypeError)
    expect(server.tables().states).toMatchObject([seven('PENDING', 3)])
    server.next('crash')
    await expect(post({}, { version: 3 }, PAY)).rejects.toThrow(TypeError)
    expect(server.tables().states).toMatchObject([seven('PAID', 4)])
    expect(server.ledger()).toHaveLength(1)
  })

  it('finds orders in the ledger, which begin at version 1', async () => {
    const shop = openShop(
      { mechanisms: [{ is: 'state', id: { body: '/order' }, from: 'NEW', to: 'SENT' }] },
      { path: '/api/shipments', states: { first: { state: 'NEW' } } },
    )
    await shop.post({}, { order: 'first', version: 1 })
    const { json } = await shop.post({}, { order: 'order-1', version: 1 })
    expect(json).toEqual({ id: 'order-1', state: 'SENT', version: 2 })
    expect(shop.placed).toBe(2)
  })

  it('begins again after a reset', async () => {
    const { server, post } = payable()
    await post({}, { version: 3 }, PAY)
    server.reset()
    expect(server.tables().states).toMatchObject([seven('PENDING', 3)])
  })

  it('is set over HTTP', async () => {
    const { server, get } = payable()
    const body = JSON.stringify({ 7: { state: 'CANCELLED', version: 12 }, 9: { state: 'PENDING' } })
    const response = await server.fetch('/api/states', { method: 'PUT', body })
    expect(await response.json()).toHaveLength(2)
    expect((await get('/api/orders/7')).json).toEqual(seven('CANCELLED', 12))
    expect((await server.fetch('/api/states', { method: 'PUT', body: '{' })).status).toBe(400)
  })
})
