import ky from 'ky'
import type { KyLike, RecordKey } from 'sendonce'
import { idempotencyKey } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { recordOf, succeeded } from './records.ts'
import { Shop, watch } from './shop.ts'

const AT: RecordKey = ['default', 'ada', 'checkout']
const signing = ky.create({
  hooks: { beforeRequest: [({ request }) => request.headers.set('authorization', 'Bearer ada')] },
}) as KyLike

async function forge({ request, ...changes }: Record<string, unknown>, options = {}) {
  const shop = new Shop()
  const left: string[] = []
  shop.world.server = async ({ method, url, headers }) => {
    left.push(`${method} ${url} ${headers.get('authorization') ?? ''}`.trim())
    return Response.json({ id: 1 })
  }
  const now = shop.world.now()
  const base = recordOf({
    profile: idempotencyKey().id,
    startedAt: now,
    firstSentAt: now,
    phase: { is: 'unknown', reason: 'interrupted' },
  })
  const record = { ...base, ...changes, request: { ...base.request, ...(request as object) } }
  await shop.records.change(AT, () => ({ keep: record, result: undefined }))
  return { shop, left, ...shop.open(options) }
}

describe('a record that this library never wrote', () => {
  it.each<readonly [string, Record<string, unknown>]>([
    ['an outcome at another origin', { poll: 'http://evil.test/jobs/1' }],
    [
      'an outcome at another origin, tried before',
      { poll: 'http://evil.test/', ambiguous: 2, attempt: 2 },
    ],
    ['an outcome in its own address', { poll: 'data:application/json,{}' }],
    ['a relative outcome', { poll: 'jobs/1' }],
    ['an address that answers itself', { request: { url: 'data:application/json,{"id":666}' } }],
    ['a key that goes nowhere', { place: {} }],
    ['a place that is a list', { place: [] }],
    ['a key between all characters', { place: { path: '' } }],
    ['two places', { place: { header: 'a', query: 'b' } }],
    ['a GET', { request: { method: 'GET', body: { kept: true } } }],
    ['somebody’s Authorization', { request: { headers: { Authorization: 'Bearer evil' } } }],
    ['somebody’s cookies', { request: { headers: { cookie: 'session=evil' } } }],
  ])('%s: nothing is sent', async (_, forged) => {
    const { shop, client, left } = await forge(forged, { ky: signing })
    for (const run of [() => client.resumeAll(), () => client.operation('checkout').resume()]) {
      watch<unknown>(run())
      await shop.world.settle()
    }
    expect(left).toEqual([])
  })

  it('whose key is to go into the host goes to no other host', async () => {
    const { shop, client, left } = await forge({ place: { path: 'shop' }, key: 'evil' })
    watch(client.operation('checkout').resume())
    await shop.world.settle()
    expect(left).toEqual(['POST http://shop.test/api/orders'])
  })

  it.each<readonly [string, object]>([
    ['a header that is none', { status: 200, headers: [['a']] }],
    ['a header that no response can have', { status: 200, headers: [['a b', 'c']] }],
  ])('with %s is unreadable', async (_, answer) => {
    const { shop, client } = await forge({ phase: { ...succeeded(), answer } })
    const resumed = watch(client.operation('checkout').resume())
    await shop.world.settle()
    expect(resumed.error).toMatchObject({ name: 'SendonceError' })
  })

  it('with a status that no response can be made with is told', async () => {
    const { shop, client } = await forge({
      phase: { ...succeeded(), answer: { status: 42, headers: [] } },
    })
    const outcome = await shop.ending(client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', response: { status: 42 } })
  })
})
