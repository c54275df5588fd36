import type { RecordKey } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { order, Shop, statesOf, watch } from './shop.ts'

const AT: RecordKey = ['default', 'ada', 'checkout']

/** A shop in whose store somebody has left something. */
async function left(what: unknown, at: RecordKey = AT): Promise<Shop> {
  const shop = new Shop()
  await shop.records.change(at, () => ({ keep: what, result: undefined }))
  return shop
}

/** A record as it lies in the store while its reply is on the way. */
async function whole(): Promise<Record<string, unknown>> {
  const shop = new Shop()
  const { client } = shop.open({ retry: { maxAttempts: 1 } })
  shop.server.next('lose-reply')
  await shop.ending(client.submit('checkout', order()))
  const stored = shop.stored()
  if (!stored) throw new TypeError('Nothing is stored.')
  return stored
}

describe('what cannot be read', () => {
  it.each<readonly [string, unknown]>([
    ['a text', 'hello'],
    ['null', null],
    ['an empty object', {}],
    ['a number', 42],
    ['an array', []],
  ])('%s occupies its operation: nothing is sent, nothing is replaced', async (_, what) => {
    const shop = await left(what)
    const { client } = shop.open()
    const states = statesOf(client)
    await shop.world.run()
    expect(states).toEqual(['idle', 'unknown:unreadable'])
    const sent = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(sent.error).toMatchObject({ name: 'SendonceError', code: 'storage' })
    expect(shop.log).toEqual([])
    expect(shop.records.records()).toEqual([[AT, what]])
  })

  it.each<readonly [string, (record: Record<string, unknown>) => unknown]>([
    ['of a newer version', record => ({ ...record, version: 2 })],
    ['without a key', ({ key: _, ...record }) => record],
    ['with a key that is a number', record => ({ ...record, key: 5 })],
    ['in a phase that is not known', record => ({ ...record, phase: { is: 'levitating' } })],
    ['with a phase that is incomplete', record => ({ ...record, phase: { is: 'sending' } })],
    ['with a count below zero', record => ({ ...record, attempt: -1 })],
    [
      'with a body that is a text',
      record => ({
        ...record,
        request: { ...(record.request as object), body: { kept: true, bytes: 'hello' } },
      }),
    ],
  ])('a record %s is not sent, not trusted and not deleted', async (_, spoil) => {
    const spoiled = spoil(await whole())
    const shop = await left(spoiled)
    const { client, events } = shop.open()
    await shop.world.settle()
    const resumed = watch(client.operation('checkout').resume())
    const sent = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(resumed.error).toMatchObject({ name: 'SendonceError' })
    expect(sent.error).toMatchObject({ code: 'storage' })
    expect(await shop.ending(client.resumeAll())).toEqual([])
    await shop.ending(client.forget())
    expect(shop.log).toEqual([])
    expect(shop.records.records()).toEqual([[AT, spoiled]])
    expect(events).toMatchObject([{ type: 'record-set-aside', operation: 'checkout' }])
  })

  it('does not hide what lies beside it', async () => {
    const shop = await left('hello', ['default', 'ada', 'other'])
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', order()))
    expect(await shop.ending(client.unsettled())).toMatchObject([{ operation: 'checkout' }])
    expect(await shop.ending(client.forget())).toEqual({ unknown: 1 })
  })

  it('is given up by discard', async () => {
    const shop = await left('hello')
    const { client } = shop.open()
    await shop.ending(client.operation('checkout').discard())
    expect(shop.records.records()).toEqual([])
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome.state).toBe('succeeded')
  })

  it('may hold members of a later, compatible version', async () => {
    const shop = await left({ ...(await whole()), note: 'later' })
    const { client } = shop.open()
    const outcome = await shop.ending(client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
  })
})

it('a record that cannot be read any more leaves what was sent unknown', async () => {
  const shop = new Shop()
  shop.server.next('lose-reply')
  const { client } = shop.open()
  const states = statesOf(client)
  const sent = watch(client.submit('checkout', order()))
  await shop.world.run(() => states.at(-1) === 'waiting:backoff')
  // Another tab runs a later version.
  const newer = (old: unknown) => ({ keep: { ...(old as object), version: 2 }, result: undefined })
  await shop.records.change(['default', 'ada', 'checkout'], newer)
  await shop.world.settle()
  expect(sent.value).toMatchObject({ state: 'unknown' })
})
