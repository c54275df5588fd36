import { describe, expect, it } from 'vitest'
import { ANN, BOB, fiftyAtOnce, KEY, openShop, tally } from '../shop.ts'

const ID: Readonly<Record<string, string>> = { 'x-request-id': 'request-1' }

describe('a request id', () => {
  it('is echoed in every answer, and kept with the order, whatever the mechanism', async () => {
    const { server, post, get } = openShop({})
    const said = [
      await post({ ...KEY, ...ID }),
      await post({ ...KEY, ...ID }),
      await post(ID),
      await get('/api/orders/by-request-id/request-1', ID),
    ]
    expect(said.map(({ headers }) => headers.get('x-request-id'))).toEqual(
      Array.from({ length: 4 }, () => 'request-1'),
    )
    expect(said[3]?.json.state).toBe('done')
    expect((await post({ ...KEY })).headers.has('x-request-id')).toBe(false)
    expect(server.ledger({ requestId: 'request-1' })).toHaveLength(1)
    expect(server.log({ requestId: 'request-1' })).toHaveLength(4)
  })

  it('has the header that the server is told', async () => {
    const { server, post } = openShop({}, { requestIdHeader: 'X-Correlation-Id' })
    const { headers } = await post({ ...KEY, 'x-correlation-id': 'c-1' })
    expect(headers.get('x-correlation-id')).toBe('c-1')
    expect(server.ledger()).toMatchObject([{ requestId: 'c-1' }])
  })

  it('is passed down to every service, each of which does its part once', async () => {
    const { server, post } = openShop({ mechanisms: ['request-id'] })
    const first = await post(ID)
    const second = await post(ID)
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.json).toEqual(first.json)
    expect(server.ledger()).toHaveLength(1)
    const call = { requestId: 'request-1', method: 'POST', status: 'done' }
    expect(server.tables().calls).toMatchObject([
      { ...call, service: 'orders' },
      { ...call, service: 'payments' },
      { ...call, service: 'stock' },
    ])
  })

  it.each([0, 100])('lets one of fifty through at once (work: %i ms)', async workMs => {
    const shop = openShop({ mechanisms: ['request-id'], workMs })
    const answers = await fiftyAtOnce(shop, workMs, () => shop.post(ID))
    expect(tally(answers)).toEqual(workMs > 0 ? [1, [409]] : [50, []])
    expect(shop.placed).toBe(1)
  })

  it('shows nobody what is another’s, and is missed where there is none', async () => {
    const { server, post } = openShop({ mechanisms: ['request-id'] })
    await post({ ...ANN, ...ID })
    expect((await post({ ...BOB, ...ID })).json.code).toBe('duplicate')
    expect((await post(ANN)).json.title).toBe('X-Request-Id is missing')
    expect(server.ledger()).toHaveLength(1)
  })

  it('may come again after a refusal', async () => {
    const { server, post } = openShop({ mechanisms: ['request-id'] })
    await post(ID, { address: ' ' })
    expect(server.tables().calls).toEqual([])
    expect((await post(ID)).status).toBe(201)
  })
})
