import { repeatability } from 'sendonce'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { browserPlatform } from '../../src/browser.ts'
import { START_MS } from '../support/world/world.ts'
import type { Tab } from './shop.ts'
import { keyOf, nameOf, order, Shop, watch } from './shop.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

afterEach(() => vi.unstubAllGlobals())

/** A shop whose server has the right time, whatever the clock of the device says. */
function shopOnTime(): Shop {
  let monotonic = () => 0
  const shop = new Shop({ server: { now: () => START_MS + monotonic() } })
  monotonic = shop.world.page().platform.monotonic
  return shop
}

/** Timers of a page that nobody looks at: once in a minute, as Chromium does after five minutes. */
function throttle({ page }: Tab): void {
  const { timer } = page.platform
  page.platform.timer = (ms, run) => {
    const due = page.platform.monotonic() + ms
    return timer(Math.ceil(due / MINUTE_MS) * MINUTE_MS - page.platform.monotonic(), run)
  }
}

describe.each([-5, -1, 1, 5])('a clock that jumps by %i h', hours => {
  it('at any point of a submit, a retry and a reload leaves one order with one key', async () => {
    const run = async (place?: number): Promise<number> => {
      const shop = shopOnTime()
      const { client, page } = shop.open()
      shop.server.next('lose-reply', { requests: 2 })
      shop.world.at = (_, at) => {
        if (at === place) shop.world.jump(hours * HOUR_MS)
      }
      void client.submit('checkout', order())
      await shop.arrivals(2)
      const next = shop.open({}, page.reload())
      const outcome = await shop.ending(next.client.operation('checkout').resume())
      expect([place, nameOf(outcome), shop.keys, shop.placed]).toEqual([
        place,
        'succeeded',
        [outcome.key],
        1,
      ])
      return shop.world.trace.length
    }
    const points = await run()
    expect(points).toBeGreaterThan(15)
    for (let place = 0; place < points; place += 1) await run(place)
  })

  it('under two tabs of which one waits for the other leaves one order', async () => {
    for (const secure of [true, false]) {
      const shop = shopOnTime()
      const [one, other] = [shop.open({}, { secure }), shop.open({}, { secure })]
      shop.server.next('hang-after-effect')
      const first = watch(one.client.submit('checkout', order()))
      await shop.arrivals(1)
      const second = watch(other.client.submit('checkout', order()))
      await shop.world.wait(500)
      shop.world.jump(hours * HOUR_MS)
      await shop.world.settle()
      expect([first.value?.state, second.value?.state]).toEqual(['succeeded', 'succeeded'])
      expect(shop.keys).toHaveLength(1)
      expect(shop.placed).toBe(1)
    }
  })
})

describe('a lease that is read by another clock than it was written by', () => {
  it('is outwaited for its length at most, where no lock tells who lives', async () => {
    const shop = shopOnTime()
    const [one, other] = [shop.open({}, { secure: false }), shop.open({}, { secure: false })]
    shop.server.next('hang')
    void one.client.submit('checkout', order())
    await shop.arrivals(1)
    one.page.kill()
    shop.world.jump(-5 * HOUR_MS)
    const sent = watch(other.client.submit('checkout', order()))
    await shop.world.wait(30_000)
    expect(shop.log).toHaveLength(1)
    await shop.world.wait(2_000)
    expect(sent.value).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(shop.keys).toHaveLength(1)
  })
})

describe('timers that come once in a minute', () => {
  it('make an order later, and not another one', async () => {
    const shop = shopOnTime()
    const tab = shop.open()
    throttle(tab)
    shop.server.next('lose-reply')
    const outcome = await shop.ending(tab.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'succeeded', from: 'replay' })
    expect(shop.log.map(({ at }) => at - START_MS)).toEqual([0, MINUTE_MS])
    expect(shop.placed).toBe(1)
  })

  it('may end a turn before its attempts are used up: unknown, and the key is kept', async () => {
    const shop = shopOnTime()
    const tab = shop.open()
    throttle(tab)
    shop.server.next('lose-reply', { requests: 3 })
    const outcome = await shop.ending(tab.client.submit('checkout', order()))
    expect(outcome).toMatchObject({ state: 'unknown', reason: 'deadline', resumable: true })
    const resumed = await shop.ending(tab.client.operation('checkout').resume())
    expect(resumed).toMatchObject({ state: 'succeeded', key: keyOf(outcome) })
    expect(shop.placed).toBe(1)
  })

  it('in one tab keep another from nothing: it sends the same key when the lease is over', async () => {
    const shop = shopOnTime()
    const [hidden, seen] = [shop.open(), shop.open()]
    throttle(hidden)
    shop.server.next('hang-after-effect')
    const first = watch(hidden.client.submit('checkout', order()))
    await shop.arrivals(1)
    const second = watch(seen.client.submit('checkout', order()))
    await shop.world.wait(32_000)
    expect(second.value).toMatchObject({ state: 'succeeded', from: 'replay' })
    await shop.world.settle()
    expect(first.value).toMatchObject({ state: 'succeeded', key: second.value?.key })
    expect(shop.placed).toBe(1)
  })
})

/** The clock goes on, timers and the monotonic clock do not; then somebody looks at the page. */
async function sleep({ page }: Tab, shop: Shop, hours: number): Promise<void> {
  page.offline()
  page.background()
  shop.world.jump(hours * HOUR_MS)
  page.online()
  page.foreground()
  await shop.world.run()
}

describe('a laptop that sleeps for a night', () => {
  it('between two attempts goes on when it wakes, with the same key', async () => {
    const shop = new Shop()
    const tab = shop.open()
    shop.server.next({ is: 'status', status: 503, effect: true, retryAfter: 60 })
    const sent = watch(tab.client.submit('checkout', order()))
    await shop.world.wait(1_000)
    await sleep(tab, shop, 8)
    expect(sent.value).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(shop.placed).toBe(1)
  })

  it('with a request on its way sends the same key when that has timed out', async () => {
    const shop = new Shop()
    const tab = shop.open()
    shop.server.next('hang-after-effect')
    const sent = watch(tab.client.submit('checkout', order()))
    await shop.arrivals(1)
    await sleep(tab, shop, 8)
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded', attempts: 2, from: 'replay' })
    expect(shop.placed).toBe(1)
  })

  it('for longer than the server remembers sends nothing more', async () => {
    const shop = new Shop()
    const tab = shop.open({ profile: repeatability() })
    shop.world.server = async request => {
      if (request.method === 'POST') shop.world.server = (...given) => shop.server.fetch(...given)
      throw new TypeError('lost')
    }
    const sent = watch(tab.client.submit('checkout', order()))
    await shop.world.run()
    await sleep(tab, shop, 8)
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown', reason: 'key-expired' })
    expect(shop.log).toEqual([])
  })
})

describe('a page that is prerendered or hidden', () => {
  it('resumes nothing by itself before somebody looks at it', async () => {
    const shop = new Shop()
    const first = shop.open()
    shop.server.next('hang')
    void first.client.submit('checkout', order())
    await shop.arrivals(1)
    first.page.kill()
    const prerendered = shop.open({}, { visible: false })
    expect(await shop.ending(prerendered.client.resumeAll())).toEqual([])
    expect(shop.log).toHaveLength(1)
    prerendered.page.foreground()
    expect(await shop.ending(prerendered.client.resumeAll())).toMatchObject([
      { state: 'succeeded' },
    ])
    expect(shop.keys).toHaveLength(1)
  })

  it.each([
    ['visible', false, true],
    ['visible', true, false],
    ['hidden', false, false],
    ['hidden', undefined, false],
    ['visible', undefined, true],
  ])('that says %s, prerendering: %s, counts as seen: %s', (visibilityState, ...rest) => {
    const [prerendering, seen] = rest
    vi.stubGlobal('document', { visibilityState, prerendering })
    expect(browserPlatform().visible()).toBe(seen)
  })
})

describe('a clock that was ahead when an order was first sent', () => {
  it('makes its key seem to live longer than the server remembers it: that is not known', async () => {
    const shop = shopOnTime()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.world.jump(12 * HOUR_MS)
    shop.server.next('lose-reply')
    const first = await shop.ending(client.submit('checkout', order()))
    shop.world.jump(-12 * HOUR_MS)
    await shop.world.wait(30 * HOUR_MS)
    const second = await shop.ending(client.operation('checkout').resume())
    expect([second.state, second.key]).toEqual(['succeeded', first.key])
    expect(shop.placed).toBe(2)
  })
})
