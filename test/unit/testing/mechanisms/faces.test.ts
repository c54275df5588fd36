import type { MockServer } from 'sendonce/testing'
import { createMockServer } from 'sendonce/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../clock.ts'
import { fakeClock } from '../clock.ts'
import type { Face, FaceName } from '../faces.ts'
import { openFace, order } from '../faces.ts'

const ROUTES = {
  '/api/orders': { mechanisms: ['token', 'number'] },
  '/api/exports': { mechanisms: ['accepted'], workMs: 1_000 },
  '/api/orders/:id/pay': { mechanisms: ['state'] },
} as const

describe.each<FaceName>(['direct', 'msw', 'node'])('through the %s face', name => {
  let clock: Clock
  let server: MockServer
  let face: Face

  beforeEach(async () => {
    clock = fakeClock()
    const { now, timer } = clock
    server = createMockServer({ now, timer, routes: ROUTES })
    face = await openFace[name](server)
  })
  afterEach(() => face.close())

  const get = async (path: string) => {
    const response = await face.fetch(face.origin + path)
    return { status: response.status, json: await response.json() }
  }

  it('spends a token once, and finds the order by its number', async () => {
    const { token } = (await get('/api/token')).json
    const send = () =>
      order(face, {
        key: '',
        json: { order_no: 'a b', item: 'tea' },
        headers: { 'x-idempotent-token': token },
      })
    const statuses = (await Promise.all([send(), send()])).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409])
    expect((await get('/api/orders/by-number/a%20b')).json.state).toBe('done')
    expect(server.ledger({ token, businessNumber: 'a b' })).toHaveLength(1)
  })

  it('polls accepted work at its address', async () => {
    const accepted = await order(face, { path: '/api/exports' })
    const address = accepted.headers.get('location') ?? ''
    expect([accepted.status, address]).toEqual([202, '/api/jobs/job-1'])
    expect((await get(address)).status).toBe(202)
    clock.advance(1_000)
    expect(await get(address)).toMatchObject({ status: 200, json: { id: 'order-1' } })
  })

  it('moves an order whose number is in the path', async () => {
    server.putState('7', 'PENDING', 1)
    const pay = () => order(face, { path: '/api/orders/7/pay', json: { version: 1 } })
    const statuses = [(await pay()).status, (await pay()).status]
    expect(statuses).toEqual([200, 200])
    expect((await get('/api/orders/7')).json).toEqual({ id: '7', state: 'PAID', version: 2 })
    expect(server.ledger()).toHaveLength(1)
  })
})
