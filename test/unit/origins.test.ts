import ky from 'ky'
import type { KyLike, RecordKey } from 'sendonce'
import { idempotencyKey } from 'sendonce'
import { expect, it } from 'vitest'
import { recordOf } from './records.ts'
import { order, Shop, watch } from './shop.ts'

it('sends nothing to an origin that the app does not name, whatever a record says', async () => {
  const shop = new Shop()
  const sent: string[] = []
  const { server } = shop.world
  shop.world.server = request => {
    sent.push(request.url)
    return server(request)
  }
  const now = shop.world.now()
  const at: RecordKey = ['default', 'ada', 'forged']
  const { request, ...base } = recordOf({
    profile: idempotencyKey().id,
    startedAt: now,
    firstSentAt: now,
  })
  const record = {
    ...base,
    phase: { is: 'unknown', reason: 'interrupted' },
    request: { ...request, url: 'http://evil.test/' },
  }
  await shop.records.change(at, () => ({ keep: record, result: undefined }))
  const { client } = shop.open({ origins: ['http://shop.test'], ky: ky.create() as KyLike })
  watch(client.resumeAll())
  watch(client.operation('forged').resume())
  await shop.world.settle()
  expect(sent).toEqual([])
  expect(await shop.ending(client.submit('checkout', order()))).toMatchObject({
    state: 'succeeded',
  })
})

it('fetches no token ahead from an origin that the app does not name', async () => {
  const shop = new Shop()
  const sent: string[] = []
  shop.world.server = async request => {
    sent.push(request.url)
    return Response.json({ token: 'theirs' })
  }
  const token = {
    request: { url: 'http://evil.test/token' },
    at: '/token',
    place: { header: 'x-token' },
    lifetimeMs: 60_000,
  } as const
  const { client } = shop.open({
    origins: ['http://shop.test'],
    profile: { ...idempotencyKey(), token },
  })
  const prepared = watch(client.operation('checkout').prepare())
  await shop.world.settle()
  expect(prepared.error).toMatchObject({ code: 'not-sent' })
  expect(sent).toEqual([])
})
