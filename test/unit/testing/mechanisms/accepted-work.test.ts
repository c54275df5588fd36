import type { AcceptedOptions } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { ANN, BOB, KEY, openShop } from '../shop.ts'

const accepting = (options: Omit<AcceptedOptions, 'is'> = {}, route = {}) =>
  openShop({ mechanisms: [{ is: 'accepted', ...options }], workMs: 3_000, ...route })

describe('work that is accepted', () => {
  it('is answered 202 at once, with an address that tells of it', async () => {
    const { clock, server, post, get } = accepting()
    const first = await post(KEY)
    expect([first.status, first.headers.get('location')]).toEqual([202, '/api/jobs/job-1'])
    expect(first.headers.get('retry-after')).toBe('1')
    expect(server.ledger()).toHaveLength(0)
    const polled = await get('/api/jobs/job-1')
    expect([polled.status, polled.headers.get('retry-after')]).toEqual([202, '1'])
    clock.advance(3_000)
    const result = await get('/api/jobs/job-1')
    expect([result.status, result.json]).toEqual([200, { id: 'order-1', item: 'tea', amount: 3 }])
    expect(server.ledger()).toMatchObject([{ key: 'key-1', at: 3_000 }])
    expect(server.log()[0]).toMatchObject({ effect: 'executed', answer: { status: 202 } })
  })

  it('is one job for fifty requests at once', async () => {
    const { clock, server, post } = accepting()
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(KEY)))
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1)
    clock.advance(3_000)
    expect((await post(KEY)).status).toBe(202)
    expect(server.ledger()).toHaveLength(1)
    expect(server.tables().jobs).toMatchObject([{ id: 'job-1', status: 'done' }])
  })

  it('fails where it is polled', async () => {
    const { clock, server, post, get } = accepting()
    expect((await post(KEY, { address: ' ' })).status).toBe(202)
    expect((await get('/api/jobs/job-1')).status).toBe(202)
    clock.advance(3_000)
    const failed = await get('/api/jobs/job-1')
    expect([failed.status, failed.json.code]).toEqual([422, 'failed'])
    expect((await get('/api/orders/by-key/key-1')).json.state).toBe('failed')
    expect(server.ledger()).toHaveLength(0)
  })

  it('stays "processing" for ever when its worker dies before the effect', async () => {
    const { clock, server, post, get } = accepting()
    server.next({ is: 'crash', effect: false })
    await expect(post(KEY)).rejects.toThrow(TypeError)
    clock.advance(1_000_000)
    expect((await get('/api/jobs/job-1')).status).toBe(202)
    expect(server.ledger()).toHaveLength(0)
  })

  it('has its address where it is told to', async () => {
    const header = accepting({ address: 'Operation-Location', path: '/jobs/:id' })
    expect((await header.post(KEY)).headers.get('operation-location')).toBe('/jobs/job-1')
    const body = accepting({ address: '/links/status', resultStatus: 201 })
    const { headers, json } = await body.post(KEY)
    expect(headers.has('location')).toBe(false)
    expect(json).toMatchObject({
      code: 'accepted',
      data: { id: 'job-1', state: 'processing', links: { status: '/api/jobs/job-1' } },
    })
    body.clock.advance(3_000)
    expect((await body.get('/api/jobs/job-1')).status).toBe(201)
  })

  it('is each person’s own, and does not fit another body', async () => {
    const { post, get } = accepting()
    await post({ ...ANN, ...KEY })
    expect((await get('/api/jobs/job-1', BOB)).status).toBe(404)
    expect((await post({ ...ANN, ...KEY }, { item: 'coffee' })).json.code).toBe('mismatch')
    expect((await post({ ...BOB, ...KEY })).headers.get('location')).toBe('/api/jobs/job-4')
  })

  it('is new work each time without a key', async () => {
    const { clock, server, post } = accepting()
    await post()
    await post()
    clock.advance(3_000)
    expect(server.ledger()).toHaveLength(2)
  })

  it('breaks where its address is polled, by a fault that names it', async () => {
    const { server, post, get } = accepting()
    await post(KEY)
    server.next(500, { path: '/api/jobs/:id' })
    expect((await get('/api/jobs/job-1')).status).toBe(500)
    expect((await get('/api/jobs/job-1')).status).toBe(202)
  })
})
