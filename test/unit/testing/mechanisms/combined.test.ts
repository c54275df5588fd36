import type { MechanismInput } from 'sendonce/testing'
import { createMockServer } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { KEY, openShop } from '../shop.ts'

const open = async (mechanisms: readonly MechanismInput[], states = {}) => {
  const shop = openShop({ mechanisms }, { states })
  const token = async () => ({
    'x-idempotent-token': String((await shop.get('/api/token')).json.token),
  })
  return { ...shop, token }
}

describe('a token in front of a dedupe table', () => {
  it('stays spent when the table refuses, and the table keeps what it had', async () => {
    const { server, post, token } = await open(['token', 'dedupe'])
    await post({ ...KEY, ...(await token()) })
    const second = await token()
    expect((await post({ ...KEY, ...second }, { item: 'coffee' })).json.code).toBe('mismatch')
    expect((await post({ ...KEY, ...second })).json.code).toBe('duplicate')
    expect(server.tables().tokens.map(({ spentBy }) => spentBy)).toEqual([2, 4])
    expect(server.ledger()).toHaveLength(1)
  })

  it('is put back when the table refuses, where the server does so', async () => {
    const { server, post, token } = await open([{ is: 'token', putsBack: true }, 'dedupe'])
    const good = await token()
    expect((await post(good)).json.code).toBe('missing')
    expect(server.tables().tokens).toMatchObject([{ spentBy: undefined, spentAt: undefined }])
    expect((await post({ ...KEY, ...good })).status).toBe(201)
  })

  it('keeps a repeat with the same token from its first answer', async () => {
    const { server, post, token } = await open(['token', 'dedupe'])
    const same = { ...KEY, ...(await token()) }
    expect([(await post(same)).status, (await post(same)).status]).toEqual([201, 409])
    expect(server.ledger()).toHaveLength(1)
  })

  it('says of a token spent on a repeat that it is done', async () => {
    const { post, get, token } = await open(['token', 'dedupe'])
    await post({ ...KEY, ...(await token()) })
    const second = await token()
    expect((await post({ ...KEY, ...second })).headers.get('idempotent-replayed')).toBe('true')
    const { json } = await get(`/api/orders/by-token/${second['x-idempotent-token']}`)
    expect(json.state).toBe('done')
  })
})

describe('a dedupe table in front of others', () => {
  it('gives the first answer to a repeat with the same token', async () => {
    const { server, post, token } = await open(['dedupe', 'token'])
    const same = { ...KEY, ...(await token()) }
    expect([(await post(same)).status, (await post(same)).status]).toEqual([201, 201])
    expect(server.ledger()).toHaveLength(1)
  })

  it('has no row of a request that a later one refuses', async () => {
    const { server, post, token } = await open(['dedupe', 'token'])
    const sent = { ...KEY, 'x-idempotent-token': 'never-issued' }
    expect((await post(sent)).json.code).toBe('duplicate')
    expect(server.keys()).toEqual([])
    expect((await post({ ...KEY, ...(await token()) })).status).toBe(201)
  })

  it('has the failed row of before again, when a run of it is refused later', async () => {
    const dedupe = { is: 'dedupe', afterRefusal: 'runs-again' } as const
    const { server, post } = await open([dedupe, 'number'])
    await post(KEY, { order_no: 'a', address: ' ' })
    expect(server.keys()).toMatchObject([{ status: 'failed', delivery: 1 }])
    await post({ 'idempotency-key': 'other' }, { order_no: 'a' })
    expect((await post(KEY, { order_no: 'a', address: 'Main Street 1' })).json.code).toBe(
      'mismatch',
    )
    expect(server.keys()).toMatchObject([{ status: 'failed', delivery: 1 }, { status: 'done' }])
  })

  it('replays 202 work as its result, once that is there', async () => {
    const { server, post } = await open(['dedupe', 'accepted'])
    expect((await post(KEY)).status).toBe(202)
    expect(await post(KEY)).toMatchObject({ status: 201, json: { id: 'order-1' } })
    expect(server.ledger()).toHaveLength(1)
  })

  it.each([
    ['number', 'numbers'],
    ['lock', 'locks'],
    ['accepted', 'jobs'],
    ['request-id', 'calls'],
    [{ is: 'window', clearsOnFailure: true }, 'windows'],
  ] as const)('%j in front of a refusal leaves no row', async (mechanism, table) => {
    const { server, post } = await open([mechanism, 'token'])
    const sent = { ...KEY, 'x-request-id': 'r', 'x-idempotent-token': 'never-issued' }
    expect((await post(sent, { order_no: 'a' })).json.code).toBe('duplicate')
    expect(server.tables()[table]).toEqual([])
  })

  it('a window in front of a refusal stays shut', async () => {
    const { server, post } = await open(['window', 'token'])
    await post()
    expect(server.tables().windows).toHaveLength(1)
  })

  it('a state in front of a refusal does not move', async () => {
    const { server, post } = await open([{ is: 'state', id: { body: '/id' } }, 'token'], {
      7: { state: 'PENDING' },
    })
    await post({}, { id: 7, version: 1 })
    expect(server.tables().states).toMatchObject([{ version: 1, movedBy: undefined }])
  })
})

describe('mechanisms', () => {
  it('are named when one is asked for that there is not', () => {
    const routes = { '/api/orders': { mechanisms: ['tokens' as 'token'] } }
    expect(() => createMockServer({ routes })).toThrow(/"tokens".*token, dedupe/)
  })

  it('show their tables over HTTP, and lose them by a reset', async () => {
    const { server, post, get, token } = await open(['token', 'dedupe', 'number', 'lock'])
    await post({ ...KEY, ...(await token()) }, { order_no: 'a' })
    expect((await get('/api/tables')).json).toMatchObject({
      tokens: [{ spentBy: 2 }],
      dedupe: [{ status: 'done' }],
      numbers: [{ status: 'done' }],
      locks: [],
      jobs: [],
    })
    server.forgetKeys()
    expect(server.tables()).toMatchObject({ tokens: [], dedupe: [], numbers: [{ number: 'a' }] })
    server.reset()
    expect(Object.values(server.tables()).flat()).toEqual([])
  })
})
