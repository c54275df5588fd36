import type { WindowOptions } from 'sendonce/testing'
import { describe, expect, it } from 'vitest'
import { ANN, BOB, openShop, tally } from '../shop.ts'

const windowed = (options: Omit<WindowOptions, 'is'> = {}, route = {}) =>
  openShop({ mechanisms: [{ is: 'window', ...options }], ...route })

describe('a repeat-submit window', () => {
  it('refuses the same again, and after it runs it once more', async () => {
    const { clock, server, post } = windowed()
    expect((await post()).status).toBe(201)
    clock.advance(4_999)
    const refused = await post()
    expect([refused.status, refused.json.code]).toEqual([409, 'duplicate'])
    expect(server.ledger()).toHaveLength(1)
    clock.advance(1)
    expect((await post()).status).toBe(201)
    expect(server.ledger()).toHaveLength(2)
  })

  it('speaks as RuoYi does', async () => {
    const says = { done: { code: 200 }, duplicate: { code: 500, message: '不允许重复提交' } }
    const { post } = windowed({}, { answers: 'envelope', says })
    expect((await post()).json.code).toBe(200)
    const { status, json } = await post()
    expect([status, json]).toEqual([200, { code: 500, message: '不允许重复提交', data: null }])
  })

  it('lets one of fifty through at once', async () => {
    const { server, post } = windowed()
    const answers = await Promise.all(Array.from({ length: 50 }, () => post()))
    expect(tally(answers)).toEqual([1, [409]])
    expect(server.ledger()).toHaveLength(1)
  })

  it('tells people and bodies apart', async () => {
    const { server, post } = windowed()
    await post(ANN)
    await post(BOB)
    await post(ANN, { item: 'coffee' })
    expect(server.ledger()).toHaveLength(3)
    expect(server.tables().windows).toMatchObject([
      { principal: 'ann', path: '/api/orders', expiresAt: 5_000 },
      { principal: 'bob' },
      { principal: 'ann' },
    ])
  })

  it.each([
    [false, 409],
    [true, 422],
  ])('stays shut after a refusal, or opens (%s)', async (clearsOnFailure, status) => {
    const { post } = windowed({ clearsOnFailure })
    expect((await post({}, { address: ' ' })).status).toBe(422)
    expect((await post({}, { address: ' ' })).status).toBe(status)
  })

  it('says no more than "duplicate" of an order whose answer was lost', async () => {
    const { server, post } = windowed()
    server.next('lose-reply')
    await expect(post()).rejects.toThrow(TypeError)
    expect((await post()).json.code).toBe('duplicate')
    expect(server.ledger()).toHaveLength(1)
  })
})
