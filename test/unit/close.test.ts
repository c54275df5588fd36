import ky from 'ky'
import type { KyLike } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { order, Shop, statesOf, watch } from './shop.ts'

describe('close', () => {
  it('stops waiting, sends nothing more, and leaves the record', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    const states = statesOf(client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 10 })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff')
    const before = shop.stored()
    client.close()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown', reason: 'interrupted' })
    expect(shop.log).toHaveLength(1)
    expect(shop.stored()).toEqual(before)
    const tab = shop.open({}, page.reload())
    const outcome = await shop.ending(tab.client.operation('checkout').resume())
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
  })

  it('lets an attempt that is on the wire end, and writes what came of it', async () => {
    const shop = new Shop({ server: { workMs: 500 } })
    const { client } = shop.open()
    const sent = watch(client.submit('checkout', order()))
    await shop.arrivals(1)
    client.close()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.stored()).toMatchObject({ phase: { is: 'succeeded' } })
  })

  it('rejects what comes after it with closed', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const handle = client.operation('checkout')
    client.close()
    await expect(client.submit('checkout', order())).rejects.toMatchObject({ code: 'closed' })
    await expect(client.submitOrThrow('checkout', order())).rejects.toMatchObject({
      code: 'closed',
    })
    await expect(handle.resume()).rejects.toMatchObject({ code: 'closed' })
    await shop.world.settle()
    expect(shop.log).toEqual([])
  })

  it('before the first byte is closed: nothing was sent', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const sent = watch(client.submit('checkout', order()))
    client.close()
    await shop.world.settle()
    expect(sent.error).toMatchObject({ name: 'SendonceError', code: 'closed' })
    expect(shop.log).toEqual([])
    expect(shop.stored()).toBeUndefined()
  })

  it('may be called twice', () => {
    const { client } = new Shop().open()
    client.close()
    client.close()
  })

  it('lets other tabs see that its operation is nobody’s now', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    const states = statesOf(b.client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 60 })
    watch(a.client.submit('checkout', order()))
    await shop.world.run(() => states.at(-1) === 'waiting:backoff there')
    a.client.close()
    await shop.world.run(() => states.at(-1) === 'unknown:interrupted')
    expect(await shop.ending(b.client.resumeAll())).toMatchObject([{ state: 'succeeded' }])
  })
})

it('a closed client looks after no other tab any more', async () => {
  const shop = new Shop()
  shop.server.next('hang')
  watch(shop.open().client.submit('checkout', order()))
  await shop.arrivals(1)
  const { client, page } = shop.open()
  client.operation('checkout').subscribe(() => {})
  await shop.world.wait(1_500)
  client.close()
  await shop.world.wait(100)
  const before = shop.world.trace.length
  await shop.world.wait(10_000)
  const later = shop.world.trace.slice(before).filter(point => point.page === page.name)
  expect(later).toEqual([])
})

describe('idle', () => {
  it('settles when no loop runs and no write is under way', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    await shop.ending(client.idle())
    void client.submit('checkout', order())
    await shop.ending(client.idle())
    expect(shop.stored()).toMatchObject({ phase: { is: 'succeeded' } })
  })

  it('settles although a loop ends badly', async () => {
    const shop = new Shop()
    const broken = async () => {
      throw new Error('Broken.')
    }
    const { client } = shop.open({
      ky: ky.create({ hooks: { beforeRequest: [broken] } }) as KyLike,
    })
    const sent = watch(client.submit('checkout', order()))
    await shop.ending(client.idle())
    expect(sent.error).toMatchObject({ code: 'not-sent' })
    expect(shop.stored()).toBeUndefined()
  })
})
