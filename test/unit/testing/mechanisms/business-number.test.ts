import type { NumberOptions } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { ANN, BOB, fiftyAtOnce, openShop, tally } from '../shop.ts'

const numbered = (options: Omit<NumberOptions, 'is'> = {}, route = {}) =>
  openShop({ mechanisms: [{ is: 'number', ...options }], ...route })

const ORDER = { order_no: 'trade_pay_4711', item: 'tea', amount: 3 }

describe('a business number', () => {
  it('is unique: a repeat is answered with the order that exists', async () => {
    const { server, post } = numbered()
    const first = await post({}, ORDER)
    const second = await post({}, ORDER)
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.json).toEqual(first.json)
    expect(server.ledger({ businessNumber: 'trade_pay_4711' })).toHaveLength(1)
    expect(server.log().map(({ effect }) => effect)).toEqual(['executed', 'replayed'])
    expect(server.tables().numbers).toMatchObject([{ status: 'done', orderId: 'order-1' }])
  })

  it('is refused the second time, where the server wants it so', async () => {
    const { server, post } = numbered({ repeat: 'reject' })
    await post({}, ORDER)
    const second = await post({}, ORDER)
    expect([second.status, second.json.code, second.json.data]).toEqual([
      409,
      'duplicate',
      { id: 'order-1', item: 'tea', amount: 3 },
    ])
    expect(server.ledger()).toHaveLength(1)
  })

  it('does not fit another body', async () => {
    const { server, post } = numbered({}, { says: { mismatch: { status: 409 } } })
    await post({}, ORDER)
    const other = await post({}, { ...ORDER, amount: 4 })
    expect([other.status, other.json.code]).toEqual([409, 'mismatch'])
    expect(server.ledger()).toHaveLength(1)
  })

  it.each([0, 100])('lets one of fifty through at once (work: %i ms)', async workMs => {
    const shop = numbered({}, { workMs })
    const answers = await fiftyAtOnce(shop, workMs, () => shop.post({}, ORDER))
    expect(tally(answers)).toEqual(workMs > 0 ? [1, [409]] : [50, []])
    expect(shop.placed).toBe(1)
  })

  it('is each person’s own, and may be a number, elsewhere', async () => {
    const { server, post } = numbered({ place: { body: '/payment/reference' } })
    const json = { payment: { reference: 12 } }
    await post(ANN, json)
    await post(BOB, json)
    await post(ANN, json)
    expect(server.ledger().map(order => [order.principal, order.businessNumber])).toEqual([
      ['ann', '12'],
      ['bob', '12'],
    ])
  })

  it('is missed where there is none', async () => {
    const { post } = numbered()
    expect((await post()).json).toMatchObject({ status: 400, title: 'order_no is missing' })
  })

  it('is free again after a refusal, and after a crash before the effect', async () => {
    const { server, post } = numbered()
    expect((await post({}, { ...ORDER, address: ' ' })).status).toBe(422)
    server.next({ is: 'crash', effect: false })
    await expect(post({}, ORDER)).rejects.toThrow(TypeError)
    expect(server.tables().numbers).toEqual([])
    expect((await post({}, ORDER)).status).toBe(201)
  })

  it('is taken by an order whose answer died with the process', async () => {
    const { server, post } = numbered()
    server.next('crash')
    await expect(post({}, ORDER)).rejects.toThrow(TypeError)
    expect((await post({}, ORDER)).status).toBe(200)
    expect(server.ledger()).toHaveLength(1)
  })

  it('tells what happened', async () => {
    const { clock, post, get } = numbered({}, { workMs: 100 })
    const asking = async () => (await get('/api/orders/by-number/trade_pay_4711')).json.state
    expect(await asking()).toBe('unknown')
    const sent = post({}, ORDER)
    await clock.waitedFor()
    expect(await asking()).toBe('processing')
    clock.advance(100)
    await sent
    expect(await asking()).toBe('done')
    expect((await get('/api/orders?number=trade_pay_4711')).json.state).toBe('done')
  })
})
