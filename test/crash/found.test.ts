import { expect, it } from 'vitest'
import type { Point } from '../support/world/agenda.ts'
import { strike } from './faults.ts'
import type { Preset } from './presets.ts'
import { presetOf } from './presets.ts'
import type { Schedule } from './schedule.ts'
import { follow } from './schedule.ts'
import { Shop } from './shop.ts'

/** Does something right before the `n`th point of a kind on page A, from 1; the first store point of A is its claim. */
function atPoint(shop: Shop, kind: Point['kind'], n: number, act: () => void): void {
  shop.at = point => {
    if (point.page !== 'A' || point.kind !== kind || point.n !== n) return
    shop.at = undefined
    act()
  }
}

/** Follows a schedule that had broken an invariant. */
async function followed(schedule: Schedule, preset?: Preset): Promise<Shop> {
  const { shop } = await follow(schedule, preset && { preset })
  expect(shop.witness.violations).toEqual([])
  return shop
}

it.each([
  { set: -3_600_000, and: 0 },
  { set: -300_000, and: 300_000 },
])(
  'a clock that is set back does not make a page know what another was told: by $set ms, and then by $and',
  async ({ set, and }) => {
    const shop = new Shop()
    const [other, told] = [shop.tab(), shop.tab()]
    shop.jump(set)
    told.submit()
    await shop.world.settle()
    shop.jump(and)
    other.submit()
    await shop.world.settle()
    expect(shop.witness.violations).toEqual([])
    expect(shop.mock.ledger()).toHaveLength(1)
  },
)

it('nor does one that is set back only when it is written down that somebody was told', async () => {
  const shop = new Shop()
  const [waits, told] = [shop.tab(), shop.tab()]
  told.submit()
  await shop.world.run(() => shop.mock.ledger().length > 0)
  await shop.world.wait(50)
  shop.jump(-3_600_000)
  await shop.world.settle()
  shop.jump(3_600_000)
  waits.submit()
  await shop.world.settle()
  expect(shop.witness.violations).toEqual([])
  expect(shop.mock.ledger()).toHaveLength(1)
})

it.each(['refused', 'succeeded', 'discarded'])(
  'a clock that is set back does not make a page that was hidden since its submit take what was %s for older',
  async ended => {
    const shop = new Shop()
    const [hidden, other] = [shop.tab(), shop.tab()]
    if (ended === 'refused') strike('422', shop.mock, shop.world)
    hidden.submit()
    hidden.page.hide()
    other.submit()
    if (ended === 'discarded') {
      await shop.world.run(() => shop.mock.log().length > 0)
      shop.mock.network('down')
      await shop.world.settle()
      other.discard()
    }
    await shop.world.settle()
    shop.jump(-3_600_000)
    hidden.page.show()
    shop.mock.network('up')
    await shop.world.settle()
    expect(shop.witness.violations).toEqual([])
    expect(new Set(shop.mock.log().map(({ key }) => key)).size).toBe(1)
  },
)

it.each(['no promise', 'idempotencyKey()'] as const)(
  'a page hidden at any point sends nothing that was given up meanwhile, with %s',
  async name => {
    const points = async (place?: number): Promise<number> => {
      const shop = new Shop({ preset: presetOf(name) })
      const [hidden, other] = [shop.tab(), shop.tab()]
      let done = place === undefined
      shop.at = (point, at) => {
        if (at !== place) return
        done = true
        if (point.page === 'A') hidden.page.hide()
      }
      hidden.submit()
      await (done ? shop.world.settle() : shop.world.run(() => done))
      if (hidden.page.life === 'cached') {
        await shop.world.run()
        other.submit()
        await shop.world.run()
        other.discard()
        await shop.world.run()
        hidden.page.show()
        other.submit()
      }
      await shop.world.settle()
      expect([place, ...shop.witness.violations]).toEqual([place])
      return shop.world.trace.length
    }
    const count = await points()
    for (let place = 0; place < count; place += 1) await points(place)
  },
)

it.each(['no promise', 'idempotencyKey()'] as const)(
  'a page hidden at any point does not send while another does, with %s',
  async name => {
    const points = async (place?: number): Promise<number> => {
      const shop = new Shop({ preset: presetOf(name) })
      shop.mock.next({ is: 'slow', ms: 500 })
      const [hidden, other] = [shop.tab(), shop.tab()]
      let done = place === undefined
      let sent = false
      shop.at = (point, at) => {
        if (point.page === 'A' && point.kind === 'send') sent = true
        if (at !== place) return
        done = true
        if (point.page === 'A') hidden.page.hide()
      }
      hidden.submit()
      await (done ? shop.world.settle() : shop.world.run(() => done))
      const { life } = hidden.page
      if (life === 'cached') {
        await shop.world.run()
        other.submit()
        await shop.world.wait(100)
        hidden.page.show()
      }
      await shop.world.settle()
      expect([place, ...shop.witness.violations]).toEqual([place])
      if (life === 'cached' && !sent) expect([place, shop.mock.log().length]).toEqual([place, 1])
      return shop.world.trace.length
    }
    const count = await points()
    for (let place = 0; place < count; place += 1) await points(place)
  },
)

it.each(['no promise', 'idempotencyKey()'] as const)(
  'a page that claims before it holds the lock is not taken for dead, with %s',
  async name => {
    // A hears late of its lock.
    const late = ({ page, kind }: Point) => page === 'A' && kind === 'lock'
    const pick = (ready: readonly Point[]) =>
      Math.max(
        0,
        ready.findIndex(point => !late(point)),
      )
    const shop = new Shop({ preset: presetOf(name), pick })
    const [first, second] = [shop.tab(), shop.tab()]
    first.submit()
    second.submit()
    await shop.world.settle()
    expect(shop.witness.violations).toEqual([])
    expect(shop.mock.log()).toHaveLength(1)
  },
)

it('a page that comes late does not bring back a key that was settled and followed by another', async () => {
  const shop = new Shop()
  const [hidden, other] = [shop.tab(), shop.tab()]
  atPoint(shop, 'stored', 1, () => hidden.page.hide())
  hidden.submit()
  await shop.world.run()
  for (const item of ['book', 'lamp']) {
    other.submit(item)
    await shop.world.settle()
  }
  hidden.page.show()
  await shop.world.settle()
  expect(shop.witness.violations).toEqual([])
  expect(shop.mock.log()).toHaveLength(2)
})

it('a page that has waited gets what it waited for, though the clock was set back meanwhile', async () => {
  const shop = new Shop()
  shop.mock.next(422)
  const [first, second] = [shop.tab(), shop.tab()]
  atPoint(shop, 'reply', 1, () => shop.jump(-3_600_000))
  first.submit()
  second.submit()
  await shop.world.settle()
  expect(shop.witness.violations).toEqual([])
  expect(shop.mock.log()).toHaveLength(1)
})

it('a page that wakes when its key has made way for another does not say that nothing happened', async () => {
  const shop = new Shop()
  shop.mock.next({ is: 'status', status: 429, retryAfter: 1 })
  const [frozen, other] = [shop.tab(), shop.tab()]
  frozen.submit()
  await shop.world.wait(100)
  frozen.page.freeze()
  other.submit()
  await shop.world.settle()
  other.submit('lamp')
  await shop.world.settle()
  frozen.page.unfreeze()
  await shop.world.settle()
  expect(frozen.calls).toMatchObject([{ ended: 'unknown: interrupted' }])
  expect(shop.witness.violations).toEqual([])
  expect(shop.mock.ledger()).toHaveLength(2)
})

it('a page that was cached when it had written that nothing happened looks again before it says so', async () => {
  const shop = new Shop()
  shop.mock.next(401)
  const [cached, other] = [shop.tab(), shop.tab()]
  atPoint(shop, 'stored', 2, () => cached.page.hide())
  cached.submit()
  await shop.world.run()
  other.submit()
  await shop.world.settle()
  cached.page.show()
  await shop.world.settle()
  expect(shop.witness.violations).toEqual([])
  expect(cached.calls).toMatchObject([{ ended: 'succeeded' }])
  expect(shop.mock.ledger()).toHaveLength(1)
})

it('a clock that was behind for a while does not make a page know what another was told', async () => {
  const shop = new Shop()
  const [told, other] = [shop.tab(), shop.tab()]
  shop.jump(-2_000)
  told.submit()
  await shop.world.settle()
  other.submit()
  shop.jump(2_000)
  await shop.world.settle()
  expect(shop.witness.violations).toEqual([])
  expect(shop.mock.ledger()).toHaveLength(1)
})

it.each([
  { ended: 'refused', faults: ['422 stored'] as const },
  { ended: 'succeeded', faults: [] },
])('a submit that waits for a discard of nothing meets what was $ended meanwhile', async run => {
  const shop = await followed({
    seed: 1_855_071_839,
    waitOneIn: 8,
    tabs: 2,
    faults: run.faults,
    steps: [
      { after: 5, act: 'discard', tab: 1 },
      { after: 0, act: 'submit the same', tab: 1 },
      { after: 8, act: 'freeze', tab: 1 },
    ],
  })
  const calls = shop.tabs.flatMap(tab => tab.calls).map(({ ended }) => ended)
  expect(calls).toEqual([run.ended, run.ended, 'nothing', run.ended])
  expect(shop.mock.log()).toHaveLength(1)
})

it('a submit that waits for another body to make way joins what it had been told of just before', async () => {
  const shop = await followed(
    {
      seed: 1_034_479_051,
      waitOneIn: 64,
      tabs: 2,
      faults: [],
      steps: [
        { after: 27, act: 'kill and submit', tab: 1 },
        { after: 27, act: 'background', tab: 0 },
        { after: 1, act: 'prepare', tab: 1 },
        { after: 3, act: 'submit another body', tab: 0 },
        { after: 3, act: 'background', tab: 0 },
        { after: 2, act: 'prepare and submit', tab: 0 },
        { after: 0, act: 'submit the same', tab: 1 },
      ],
    },
    presetOf('oneTimeToken({ recover })'),
  )
  expect(shop.mock.ledger()).toHaveLength(1)
})

it('a page that was seen to be gone, and comes back and claims anew, is waited for', async () => {
  await followed({
    seed: 1_080_927_991,
    waitOneIn: 8,
    tabs: 3,
    faults: [],
    steps: [
      { after: 15, act: 'submit the same', tab: 0 },
      { after: 10, act: 'hide', tab: 2 },
      { after: 30, act: 'submit another body', tab: 0 },
      { after: 1, act: 'the clock is an hour behind', tab: 0 },
      { after: 7, act: 'foreground', tab: 0 },
      { after: 3, act: 'show', tab: 2 },
      { after: 0, act: 'network up', tab: 0 },
    ],
  })
})

it('a caller that aborts is not told that nothing was sent when another tab has sent it since', async () => {
  await followed({
    seed: 580_023_540,
    waitOneIn: 8,
    tabs: 3,
    faults: ['429'],
    steps: [
      { after: 5, act: 'submit the same', tab: 1 },
      { after: 28, act: 'abort', tab: 1 },
    ],
  })
})

it('a claim that was undone and made anew is not outwaited as the one before', async () => {
  await followed(
    {
      seed: 2_035_549_302,
      waitOneIn: 64,
      tabs: 3,
      faults: [],
      steps: [
        { after: 15, act: 'open and submit', tab: 0 },
        { after: 0, act: 'resume', tab: 0 },
      ],
    },
    presetOf('repeatWindow()'),
  )
})

it('a claim that was undone and made anew is not given up as the one before', async () => {
  const shop = await followed({
    seed: 2_091_342_177,
    waitOneIn: 8,
    tabs: 3,
    faults: [],
    steps: [
      { after: 21, act: 'kill and resume', tab: 2 },
      { after: 0, act: 'discard', tab: 2 },
      { after: 0, act: 'network up', tab: 0 },
    ],
  })
  expect(shop.tabs.at(-1)?.calls).toMatchObject([
    { what: 'resumeAll' },
    { what: 'discard', ended: 'in-flight' },
  ])
  expect(shop.mock.ledger()).toHaveLength(1)
})

it('a caller that aborts before the claim is known hears so before anything is sent', async () => {
  await followed({
    seed: 0,
    waitOneIn: 8,
    tabs: 1,
    faults: [],
    steps: [
      { after: 1, act: 'resume', tab: 0 },
      { after: 1, act: 'abort', tab: 0 },
      { after: 0, act: 'kill and resume', tab: 0 },
    ],
  })
})

it('a page that was frozen for a moment when it had written that nothing happened looks before it says so', async () => {
  await followed({
    seed: 0,
    waitOneIn: 1_000_000,
    tabs: 1,
    faults: ['403', '202'],
    steps: [
      { after: 10, act: 'freeze', tab: 0 },
      { after: 0, act: 'open and submit', tab: 0 },
      { after: 16, act: 'freeze', tab: 1 },
      { after: 3, act: 'network down', tab: 0 },
    ],
  })
})

it('nor is it told of a success by the answer that it had to an attempt before', async () => {
  await followed({
    seed: 378_156_491,
    waitOneIn: 8,
    tabs: 3,
    faults: ['401'],
    steps: [
      { after: 18, act: 'offline', tab: 0 },
      { after: 4, act: 'kill and resume', tab: 0 },
    ],
  })
})

it('nor is one told of a refusal, where the next submit sends the same key again', async () => {
  await followed(
    {
      seed: 0,
      waitOneIn: 8,
      tabs: 1,
      faults: ['413'],
      steps: [
        { after: 13, act: 'resume', tab: 0 },
        { after: 3, act: 'freeze', tab: 0 },
        { after: 0, act: 'open and submit', tab: 0 },
      ],
    },
    presetOf('businessNumber({ guarantee: reject, recover })'),
  )
})

it('nor of a pause, where what others made of it is old by then and gone', async () => {
  await followed(
    {
      seed: 378_421_389,
      waitOneIn: 8,
      tabs: 2,
      faults: ['401'],
      steps: [
        { after: 17, act: 'freeze', tab: 0 },
        { after: 24, act: 'the clock is an hour ahead', tab: 0 },
      ],
    },
    presetOf('accepted work'),
  )
})

it('a caller of another body that aborts is told that nothing of it was sent', async () => {
  await followed({
    seed: 643_068_187,
    waitOneIn: 8,
    tabs: 2,
    faults: ['403'],
    steps: [
      { after: 19, act: 'submit another body', tab: 1 },
      { after: 0, act: 'abort', tab: 3 },
      { after: 0, act: 'kill and resume', tab: 0 },
    ],
  })
})

it('a success of which another tab hears late is that of its own order, not of the one after it', async () => {
  await followed(
    {
      seed: 419_935_856,
      waitOneIn: 8,
      tabs: 2,
      faults: ['cut-body'],
      steps: [
        { after: 20, act: 'network up', tab: 0 },
        { after: 3, act: 'the clock is two seconds ahead', tab: 0 },
        { after: 1, act: 'kill and submit', tab: 0 },
        { after: 0, act: 'network up', tab: 0 },
      ],
    },
    presetOf('no promise'),
  )
})
