import { describe, expect, it } from 'vitest'
import { seeded } from '../support/world/pick.ts'
import { keyOf, nameOf, order, Shop, statesOf, watch } from './shop.ts'

describe('two tabs', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'that submit at once have one order and one result, in any order of things (seed %i)',
    async seed => {
      const shop = new Shop({ world: { seed, pick: seeded(seed) }, server: { workMs: 50 } })
      const a = shop.open()
      const b = shop.open()
      const both = [a, b].map(({ client }) => watch(client.submit('checkout', order())))
      await shop.world.settle()
      const [one, two] = both.map(({ value }) => value)
      expect([one?.state, two?.state]).toEqual(['succeeded', 'succeeded'])
      expect(one && two && keyOf(one) === keyOf(two)).toBe(true)
      expect(shop.keys).toHaveLength(1)
      expect(shop.placed).toBe(1)
      const settled = shop.log.find(({ reply }) => reply.is === 'answered')
      const last = shop.log.at(-1)
      expect(settled && last && last.at <= settled.at + 50).toBe(true)
    },
  )

  it('see each other: one sends, the other shows it', async () => {
    const shop = new Shop({ server: { workMs: 500 } })
    const a = shop.open()
    const b = shop.open()
    const seen = statesOf(b.client)
    await shop.world.run()
    await shop.ending(a.client.submit('checkout', order()))
    await shop.world.settle()
    expect(seen).toEqual(['idle', 'sending there', 'succeeded'])
    expect(shop.log).toHaveLength(1)
  })

  it('one waits for the other and shows so', async () => {
    const shop = new Shop({ server: { workMs: 2_000 } })
    const a = shop.open()
    const b = shop.open()
    const sent = watch(a.client.submit('checkout', order()))
    await shop.arrivals(1)
    const states = statesOf(b.client)
    const other = await shop.ending(b.client.submit('checkout', order()))
    expect(other).toMatchObject({ state: 'succeeded', from: 'store', attempts: 1 })
    expect(sent.value).toMatchObject({ state: 'succeeded', from: 'reply' })
    expect(states.at(-2)).toBe('waiting:other-tab')
    expect(shop.log).toHaveLength(1)
  })

  it('wait as one: a submit while the other tab backs off sends no earlier', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    shop.server.next({ is: 'status', status: 503, retryAfter: 10 })
    const began = shop.world.now()
    const both = [watch(a.client.submit('checkout', order()))]
    await shop.arrivals(1)
    await shop.world.wait(1_000)
    both.push(watch(b.client.submit('checkout', order())))
    await shop.world.settle()
    expect(both).toMatchObject([
      { value: { state: 'succeeded' } },
      { value: { state: 'succeeded' } },
    ])
    expect(shop.log.map(({ at }) => at - began)).toEqual([0, 10_000])
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })
})

describe('a tab that dies in mid-flight', () => {
  it('is taken over at once by a tab that waits, with the same key', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    shop.server.next('hang-after-effect')
    void a.client.submit('checkout', order())
    await shop.arrivals(1)
    const other = b.client.submit('checkout', order())
    await shop.world.wait(2_000)
    const died = shop.world.now()
    a.page.kill()
    const outcome = await shop.ending(other)
    expect(shop.world.now() - died).toBeLessThanOrEqual(1_000)
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(b.events.map(({ type }) => type)).toContain('took-over')
    expect(shop.keys).toHaveLength(1)
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('is seen to have died: no tab shows its sending for longer than its lease', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    const states = statesOf(b.client)
    shop.server.next('hang')
    void a.client.submit('checkout', order())
    await shop.world.run(() => states.at(-1) === 'sending there')
    a.page.kill()
    const died = shop.world.now()
    await shop.world.run(() => states.at(-1) === 'unknown:interrupted')
    expect(shop.world.now() - died).toBeLessThanOrEqual(1_000)
  })

  it('in a wait is seen to have died, too, and its operation is taken over', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    const states = statesOf(b.client)
    shop.server.next({ is: 'status', status: 503, retryAfter: 40 })
    void a.client.submit('checkout', order())
    await shop.world.run(() => states.at(-1) === 'waiting:backoff there')
    a.page.kill()
    await shop.world.run(() => states.at(-1) === 'unknown:interrupted')
    const outcome = await shop.ending(b.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.keys).toHaveLength(1)
  })
})

describe('a tab that is frozen in mid-flight', () => {
  it('is outwaited until its lease ends; when it wakes it sends nothing and has the result', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    shop.server.next('hang-after-effect')
    const first = watch(a.client.submit('checkout', order()))
    await shop.arrivals(1)
    const sentAt = shop.world.now()
    a.page.freeze()
    const outcome = await shop.ending(b.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(shop.world.now() - sentAt).toBeGreaterThanOrEqual(31_000)
    expect(shop.world.now() - sentAt).toBeLessThan(33_000)
    await shop.world.wait(60_000)
    a.page.unfreeze()
    await shop.world.settle()
    expect(first.value).toMatchObject({ state: 'succeeded', key: outcome.key })
    expect(nameOf(a.client.operation('checkout').getSnapshot())).toBe('succeeded')
    expect(shop.log).toHaveLength(2)
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('before its request left sends nothing when it wakes after its lease', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    await shop.world.settle()
    shop.world.at = ({ page, kind }) => {
      if (page !== 'A' || kind !== 'stored') return
      shop.world.at = undefined
      a.page.freeze()
    }
    const first = watch(a.client.submit('checkout', order()))
    await shop.world.run()
    const outcome = await shop.ending(b.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    a.page.unfreeze()
    await shop.world.settle()
    expect(first.value).toMatchObject({ state: 'succeeded', key: outcome.key })
    expect(shop.log).toHaveLength(1)
    expect(shop.keys).toHaveLength(1)
  })
})

describe('a page in the back-forward cache', () => {
  it('is outwaited; when it is shown again it reads the result', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    shop.server.next('hang-after-effect')
    const first = watch(a.client.submit('checkout', order()))
    await shop.arrivals(1)
    a.page.hide()
    await shop.world.run()
    const outcome = await shop.ending(b.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    await shop.world.wait(60_000)
    a.page.show()
    await shop.world.settle()
    expect(first.value).toMatchObject({ state: 'succeeded', key: outcome.key })
    expect(nameOf(a.client.operation('checkout').getSnapshot())).toBe('succeeded')
    expect(shop.log).toHaveLength(2)
    expect(shop.placed).toBe(1)
  })

  it('reads again what others did meanwhile', async () => {
    const shop = new Shop()
    const a = shop.open()
    const b = shop.open()
    const states = statesOf(a.client)
    await shop.world.run()
    a.page.hide()
    await shop.ending(b.client.submit('checkout', order()))
    await shop.world.settle()
    expect(states).toEqual(['idle'])
    a.page.show()
    await shop.world.settle()
    expect(states).toEqual(['idle', 'succeeded'])
  })
})

describe('plain http, without Web Locks and subtle crypto', () => {
  const plain = { secure: false }

  it('a lost reply, a double click and a second tab have one order', async () => {
    const shop = new Shop()
    const a = shop.open({}, plain)
    const b = shop.open({}, plain)
    shop.server.next('lose-reply')
    const all = [
      a.client.submit('checkout', order()),
      a.client.submit('checkout', order()),
      b.client.submit('checkout', order()),
    ].map(watch)
    await shop.world.settle()
    for (const { value } of all) expect(value).toMatchObject({ state: 'succeeded' })
    expect(shop.keys).toHaveLength(1)
    expect(shop.bodies).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('a dead tab is outwaited until its lease ends', async () => {
    const shop = new Shop()
    const a = shop.open({}, plain)
    const b = shop.open({}, plain)
    shop.server.next('hang-after-effect')
    void a.client.submit('checkout', order())
    await shop.arrivals(1)
    const sentAt = shop.world.now()
    a.page.kill()
    const outcome = await shop.ending(b.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.world.now() - sentAt).toBeGreaterThanOrEqual(31_000)
    expect(shop.keys).toHaveLength(1)
    expect(shop.placed).toBe(1)
  })

  it('a clock that is set back does not make a dead tab’s lease last for ever', async () => {
    const shop = new Shop()
    const a = shop.open({}, plain)
    const b = shop.open({}, plain)
    shop.server.next('hang')
    void a.client.submit('checkout', order())
    await shop.arrivals(1)
    a.page.kill()
    shop.world.jump(-86_400_000)
    const other = watch(b.client.submit('checkout', order()))
    await shop.world.wait(40_000)
    expect(other.value).toMatchObject({ state: 'succeeded', attempts: 2 })
  })

  it('the same fingerprint comes out: a record of a secure page is met', async () => {
    const shop = new Shop()
    const a = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const unknown = await shop.ending(a.client.submit('checkout', order()))
    a.page.kill()
    const b = shop.open({}, plain)
    const outcome = await shop.ending(b.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', key: unknown.key })
    expect(shop.placed).toBe(1)
  })
})

describe('a tab that leaves a record which another has taken up', () => {
  it.each(['abort', 'deadline'] as const)(
    'by its %s is not told that nothing happened',
    async how => {
      const shop = new Shop()
      const a = shop.open()
      const b = shop.open()
      const controller = new AbortController()
      shop.server.next({ is: 'status', status: 429, retryAfter: 1 })
      const left = watch(
        b.client.submit('checkout', {
          ...order(),
          signal: controller.signal,
          ...(how === 'deadline' && { retry: { deadlineMs: 1_500 } }),
        }),
      )
      await shop.world.run(() => (shop.stored()?.phase as { is?: string })?.is === 'waiting')
      b.page.freeze()
      const taken = watch(a.client.submit('checkout', order()))
      await shop.world.run(() => taken.value !== undefined)
      expect(taken.value).toMatchObject({ state: 'succeeded' })
      // Nothing of this order is left but what the frozen page remembers: nobody had executed it.
      await shop.ending(a.client.submit('checkout', order({ item: 'pen' })))
      if (how === 'abort') controller.abort()
      b.page.unfreeze()
      await shop.world.settle()
      expect(left.value).toMatchObject({ state: 'unknown' })
      expect(shop.placed).toBe(2)
    },
  )
})
