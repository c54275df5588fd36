import type { ServerProfile } from 'sendonce'
import { idempotencyKey } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { keyOf, nameOf, order, Shop, statesOf, watch } from './shop.ts'

/** A session that several pages of a browser share, as they share its cookies. */
function signedIn(who: string | null): { who: string | null; scope: () => string | null } {
  const session = { who, scope: () => session.who }
  return session
}

describe('signing out and in as somebody else', () => {
  it('while one waits sends nothing with the other’s cookies', async () => {
    const shop = new Shop()
    const session = signedIn('ada')
    const { client } = shop.open({ scope: session.scope })
    shop.server.next('lose-reply')
    const sent = watch(client.submit('checkout', order()))
    await shop.world.run(() => shop.stored()?.phase !== undefined && shop.log.length === 1)
    session.who = 'bob'
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown', attempts: 1 })
    expect(shop.log).toHaveLength(1)
    expect(client.operation('checkout').getSnapshot()).toMatchObject({ state: 'idle' })
    session.who = 'ada'
    const again = await shop.ending(client.submit('checkout', order()))
    expect(again).toMatchObject({ state: 'succeeded', from: 'replay', attempts: 2 })
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('while one waits that was never executed pauses it', async () => {
    const shop = new Shop()
    const session = signedIn('ada')
    const { client } = shop.open({ scope: session.scope })
    shop.server.next({ is: 'status', status: 429, retryAfter: 5 })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.wait(1_000)
    session.who = 'bob'
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'paused', reason: 'scope', attempts: 1 })
    expect(shop.log).toHaveLength(1)
  })

  it('in the task before the request leaves sends nothing', async () => {
    const shop = new Shop()
    const session = signedIn('ada')
    const { client } = shop.open({
      scope: session.scope,
      ky: (url, { fetch: send, method, headers, body, signal }) => {
        session.who = 'bob'
        return send(url, { method, headers, body: body ?? null, signal })
      },
    })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'paused', reason: 'scope' })
    expect(shop.log).toEqual([])
    expect(shop.stored()).toBeUndefined()
  })

  it('in the task before a retry leaves ends the wait that another page had begun', async () => {
    const shop = new Shop()
    const session = signedIn('ada')
    const { scope } = session
    shop.server.next('lose-reply')
    const first = shop.open({ scope })
    void first.client.submit('checkout', order())
    await shop.world.run(() => JSON.stringify(shop.stored() ?? '').includes('"is":"waiting"'))
    first.page.freeze()
    const second = shop.open({
      scope,
      ky: (url, { fetch: send, method, headers, body, signal }) => {
        session.who = 'bob'
        return send(url, { method, headers, body: body ?? null, signal })
      },
    })
    const sent = watch(second.client.submit('checkout', order()))
    await shop.world.settle()
    first.page.unfreeze()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown', reason: 'interrupted' })
    expect(shop.stored()?.phase).toMatchObject({ is: 'unknown', reason: 'interrupted' })
    expect(shop.log).toHaveLength(1)
  })

  it('asks about what is one’s own, and shows nothing of the other meanwhile', async () => {
    const shop = new Shop()
    const session = signedIn('ada')
    const profile: ServerProfile = {
      ...idempotencyKey(),
      recover: async () => ({ is: 'unknown' }),
    }
    const { client } = shop.open({ scope: session.scope, profile })
    await shop.ending(client.submit('checkout', order()))
    const shown: unknown[] = []
    const operation = client.operation('checkout')
    await shop.world.settle()
    operation.subscribe(() => shown.push(operation.getSnapshot()))
    session.who = 'bob'
    const asked = watch(operation.recover())
    await shop.world.settle()
    expect(asked.error).toMatchObject({ code: 'invalid-argument' })
    expect(shown.length).toBeGreaterThan(0)
    for (const snapshot of shown) expect(snapshot).toMatchObject({ state: 'idle' })
  })

  it('shows and counts only what is one’s own', async () => {
    const shop = new Shop()
    const session = signedIn('ada')
    const { client } = shop.open({ scope: session.scope, retry: { maxAttempts: 1 } })
    const states = statesOf(client)
    shop.server.next('lose-reply')
    await shop.ending(client.submit('checkout', order()))
    const mine = await shop.ending(client.unsettled())
    expect(mine).toMatchObject([
      { operation: 'checkout', url: order().url, snapshot: { state: 'unknown' } },
    ])
    session.who = 'bob'
    expect(await shop.ending(client.unsettled())).toEqual([])
    expect(await shop.ending(client.resumeAll())).toEqual([])
    expect(nameOf(client.operation('checkout').getSnapshot())).toBe('idle')
    await shop.world.run()
    session.who = 'ada'
    client.operation('checkout').getSnapshot()
    await shop.world.run()
    expect(nameOf(client.operation('checkout').getSnapshot())).toBe('unknown:attempts')
    expect(states.at(-1)).toBe('unknown:attempts')
  })

  it('a submit of another person under the same name is another operation', async () => {
    const shop = new Shop()
    const session = signedIn('ada')
    const { client } = shop.open({ scope: session.scope, retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const first = await shop.ending(client.submit('checkout', order()))
    session.who = 'bob'
    const second = await shop.ending(client.submit('checkout', order()))
    expect(second).toMatchObject({ state: 'succeeded', attempts: 1 })
    expect(keyOf(second)).not.toBe(keyOf(first))
  })

  it('a submit of another person ends the waiting of the one before', async () => {
    const shop = new Shop()
    const session = signedIn('ada')
    const { client } = shop.open({ scope: session.scope })
    shop.server.next({ is: 'status', status: 503, retryAfter: 60 })
    const first = watch(client.submit('checkout', order()))
    await shop.world.wait(1_000)
    session.who = 'bob'
    const second = await shop.ending(client.submit('checkout', order({ item: 'pen' })))
    expect(first.value).toMatchObject({ state: 'unknown' })
    expect(second).toMatchObject({ state: 'succeeded', attempts: 1 })
    expect(shop.server.ledger()).toMatchObject([{ item: 'pen' }])
  })
})

describe('nobody signed in', () => {
  it('pauses, mints and stores nothing', async () => {
    const shop = new Shop()
    const { client } = shop.open({ scope: () => null })
    const outcome = await client.submit('checkout', order())
    expect(outcome).toMatchObject({
      state: 'paused',
      reason: 'scope',
      key: undefined,
      attempts: 0,
      durable: false,
    })
    await shop.world.settle()
    expect(shop.log).toEqual([])
    expect(shop.records.records()).toEqual([])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('No session yet.')
      },
    ],
    ['is undefined', () => undefined as never],
  ])('is also what a scope that %s means', async (_, scope) => {
    const shop = new Shop()
    const { client } = shop.open({ scope })
    expect(client.operation('checkout').getSnapshot()).toMatchObject({ state: 'idle' })
    expect(await client.submit('checkout', order())).toMatchObject({
      state: 'paused',
      reason: 'scope',
    })
  })

  it('has nothing unsettled, and nothing to resume, discard or forget', async () => {
    const shop = new Shop()
    const { client } = shop.open({ scope: () => null })
    expect(await client.unsettled()).toEqual([])
    expect(await client.resumeAll()).toEqual([])
    expect(await client.forget()).toEqual({ unknown: 0 })
    await client.operation('checkout').discard()
    expect(await client.operation('checkout').resume()).toMatchObject({
      state: 'paused',
      reason: 'scope',
    })
  })
})

describe('another session in a page that is reloaded', () => {
  it('neither sees nor resumes what the one before left', async () => {
    const shop = new Shop()
    const { page, client } = shop.open()
    shop.server.next('hang')
    void client.submit('checkout', order())
    await shop.arrivals(1)
    const bob = shop.open({ scope: 'bob' }, page.reload())
    const resumed = watch(bob.client.operation('checkout').resume())
    await shop.world.settle()
    expect(resumed.error).toMatchObject({ code: 'invalid-argument' })
    expect(await shop.ending(bob.client.unsettled())).toEqual([])
    expect(shop.log).toHaveLength(1)
    const ada = shop.open({}, bob.page.reload())
    expect(await shop.ending(ada.client.unsettled())).toMatchObject([{ operation: 'checkout' }])
  })
})
