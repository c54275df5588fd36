import { IDBFactory } from 'fake-indexeddb'
import ky from 'ky'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createIndexedDbStore } from '../../src/store/indexed-db.ts'
import type { RecordKey } from '../../src/store/store.ts'
import type { Kind, Point } from '../support/world/agenda.ts'
import { memoryStore } from '../support/world/memory-store.ts'
import type { Page } from '../support/world/page.ts'
import type { Pick } from '../support/world/pick.ts'
import { nextScript, scripted, seeded } from '../support/world/pick.ts'
import type { WorldOptions } from '../support/world/world.ts'
import { CALM_TURNS, START_MS, World } from '../support/world/world.ts'

const KEY: RecordKey = ['default', 'ada', 'checkout']
const ORDERS = 'http://shop.test/orders'
/** Every kind of point but `event`: what an order on two pages passes. */
const KINDS: readonly Kind[] = [
  'store',
  'stored',
  'lock',
  'locked',
  'send',
  'serve',
  'reply',
  'body',
  'hear',
  'digest',
  'timer',
]

/** A world with a memory store to look into, and a server that remembers what arrived. */
function shop(options: WorldOptions = {}) {
  const records = memoryStore()
  const world = new World({ openStore: () => records, ...options })
  const arrived: string[] = []
  world.server = async request => {
    arrived.push(await request.text())
    return Response.json({ orders: arrived.length })
  }
  return { world, arrived, records }
}

const keep = (page: Page, value: unknown): Promise<string> =>
  page.store.change(KEY, () => ({ keep: value, result: 'kept' }))

const post = async (page: Page, body: string, signal?: AbortSignal): Promise<string> => {
  const init = { method: 'POST', body, ...(signal && { signal }) }
  return (await page.platform.fetch(ORDERS, init)).text()
}

/** Does something at the first point of a kind. */
function atFirst(world: World, kind: Kind, act: (point: Point) => void): void {
  world.at = point => {
    if (point.kind !== kind) return
    world.at = undefined
    act(point)
  }
}

/** What became of a promise, and whether anything did. */
function watch(promise: Promise<unknown>): { ended: unknown } {
  const watched: { ended: unknown } = { ended: 'never' }
  promise.then(
    value => {
      watched.ended = value
    },
    (error: Error) => {
      watched.ended = error.name
    },
  )
  return watched
}

/** What a client does, roughly: claim under a lock, send, read, write, tell the others; else wait and look again. */
async function order(page: Page, send: typeof ky): Promise<string> {
  const { platform, store } = page
  await platform.subtle?.digest('SHA-256', new Uint8Array([1, 2, 3]))
  const channel = platform.channel('orders', () => {})
  for (;;) {
    const release = await platform.tryLock?.('checkout')
    if (release) {
      const old = await store.change(KEY, old =>
        old ? { result: old } : { keep: 'sending', result: undefined },
      )
      if (old === 'done') {
        release()
        return 'joined'
      }
      const form = new FormData()
      form.append('photo', new File([new Uint8Array(100_000)], 'photo.png'))
      const response = await send(ORDERS, {
        method: 'POST',
        body: await new Response(form).blob(),
        fetch: platform.fetch,
      })
      const text = await response.text()
      await keep(page, 'done')
      channel.post('done')
      release()
      return text
    }
    await new Promise<void>(resolve => platform.timer(100, resolve))
  }
}

const kyWithHooks = ky.create({
  retry: { limit: 1, methods: [] },
  timeout: false,
  hooks: {
    afterResponse: [
      async ({ response }) => {
        await response.clone().text()
      },
    ],
  },
})

async function twoPages(options: WorldOptions): Promise<readonly [World, readonly string[]]> {
  const { world, arrived } = shop(options)
  const orders = [world.page(), world.page()].map(page => order(page, kyWithHooks))
  await world.settle()
  return [world, [...(await Promise.all(orders)), `${arrived.length} arrived`]]
}

afterEach(() => vi.unstubAllGlobals())

describe('time', () => {
  it('moves from timer to timer, each in its turn', async () => {
    const { world } = shop()
    const { platform } = world.page()
    const fired: [string, number][] = []
    for (const [label, ms] of [
      ['c', 30],
      ['a', 10],
      ['b', 10],
    ] as const) {
      platform.timer(ms, () => fired.push([label, platform.monotonic()]))
    }
    const stop = platform.timer(20, () => fired.push(['stopped', platform.monotonic()]))
    stop()
    expect(await world.settle()).toBe(true)
    expect(fired).toEqual([
      ['a', 10],
      ['b', 10],
      ['c', 30],
    ])
  })

  it('stands still while a port call can go on', async () => {
    const { world } = shop()
    const page = world.page()
    const times: number[] = []
    page.platform.timer(1, () => times.push(page.platform.now()))
    keep(page, 1).then(() => times.push(page.platform.now()))
    await world.settle()
    expect(times).toEqual([START_MS, START_MS + 1])
  })

  it('does not move in a run without a condition, and up to the condition in one with', async () => {
    const { world } = shop()
    const page = world.page()
    let fired = 0
    page.platform.timer(5, () => fired++)
    page.platform.timer(9, () => fired++)
    await world.run()
    expect(fired).toBe(0)
    await world.run(() => fired === 1)
    expect(world.now()).toBe(START_MS + 5)
    await world.wait(3)
    expect([fired, world.now()]).toEqual([1, START_MS + 8])
  })

  it('says so when a condition can no longer come true', async () => {
    const { world } = shop()
    await expect(world.run(() => false)).rejects.toThrow('Nothing is left to happen')
  })

  it('stops at the limit where something always happens', async () => {
    const { world } = shop()
    const { platform } = world.page()
    const again = () => {
      platform.timer(1_000, again)
    }
    again()
    expect(await world.settle(10_500)).toBe(false)
    expect(world.trace).toHaveLength(10)
  })

  it('jumps on the wall and nowhere else', async () => {
    const { world } = shop()
    await world.wait(50)
    const { platform } = world.page()
    const fired: number[] = []
    platform.timer(10, () => fired.push(platform.now() - START_MS))
    world.jump(-86_400_000)
    expect([platform.now() - START_MS, platform.monotonic()]).toEqual([-86_399_950, 0])
    await world.settle()
    expect([fired, platform.monotonic()]).toEqual([[-86_399_940], 10])
  })

  it('refuses a timer that browsers would fire at once', () => {
    const { world } = shop()
    for (const ms of [2 ** 31, Number.NaN]) {
      expect(() => world.page().platform.timer(ms, () => {})).toThrow(RangeError)
      expect(() => world.timer(ms, () => {})).toThrow(RangeError)
    }
  })
})

describe('a page that is killed', () => {
  const cases = [
    ['store', 'lost', 'nothing stored'],
    ['store', 'arrives', 'stored'],
    ['stored', 'lost', 'stored'],
  ] as const
  it.each(cases)(
    'at "%s", what was handed over being %s, leaves %s',
    async (kind, inFlight, left) => {
      const { world, records } = shop()
      const page = world.page()
      const kept = watch(keep(page, 'value'))
      atFirst(world, kind, () => page.kill(inFlight))
      await world.settle()
      expect(kept.ended).toBe('never')
      expect(records.records()).toEqual(left === 'stored' ? [[KEY, 'value']] : [])
    },
  )

  const sends = [
    ['send', 'lost', 0],
    ['send', 'arrives', 1],
    ['serve', 'lost', 1],
    ['reply', 'lost', 1],
    ['body', 'lost', 1],
  ] as const
  it.each(sends)(
    'at "%s", what was handed over being %s, has sent %i',
    async (kind, inFlight, n) => {
      const { world, arrived } = shop()
      const page = world.page()
      const posted = watch(post(page, 'one'))
      atFirst(world, kind, () => page.kill(inFlight))
      await world.settle()
      expect([posted.ended, arrived.length]).toEqual(['never', n])
    },
  )

  it('does nothing more, whatever its code still calls', async () => {
    const { world, arrived, records } = shop()
    const [page, other] = [world.page(), world.page()]
    const heard: unknown[] = []
    other.platform.channel('orders', message => heard.push(message))
    const { post: tell } = page.platform.channel('orders', () => heard.push('dead'))
    page.platform.on('online', () => heard.push('dead'))
    page.platform.timer(1, () => heard.push('dead'))
    page.kill()
    page.platform.timer(1, () => heard.push('dead'))
    const calls = [keep(page, 1), post(page, 'one'), page.platform.tryLock?.('checkout')]
    const ends = calls.map(call => watch(Promise.resolve(call)))
    tell('hello')
    other.platform.channel('orders', () => {}).post('hello')
    page.online()
    await world.settle()
    expect(ends).toEqual(ends.map(() => ({ ended: 'never' })))
    expect([heard, arrived, records.records(), world.trace]).toEqual([[], [], [], []])
  })

  it('can be stopped at every point of a run, and the next page goes on', async () => {
    const points = (await twoPages({}))[0].trace.length
    for (let k = 0; k < points; k += 1) {
      const { world, arrived } = shop()
      const pages = [world.page(), world.page()]
      const ends = pages.map(page => watch(order(page, kyWithHooks)))
      world.at = (point, place) => {
        if (place === k) pages.find(page => page.name === point.page)?.kill()
      }
      await world.settle()
      const living = pages.map(page => page.life !== 'dead')
      expect([k, ends.map(({ ended }) => ended !== 'never')]).toEqual([k, living])
      expect(arrived.length, `killed at ${k}`).toBeGreaterThan(0)
    }
  })

  it('comes back as a new page after a reload', async () => {
    const { world } = shop()
    const page = world.page()
    page.background()
    await world.wait(10)
    const next = page.reload()
    expect([page.life, next.name, next.life, next.visible]).toEqual([
      'dead',
      "A'",
      'running',
      false,
    ])
    expect(next.platform.monotonic()).toBe(0)
    const kept = watch(keep(next, 1))
    await world.run()
    expect(kept.ended).toBe('kept')
  })
})

describe('a request', () => {
  it('that is aborted rejects at once, and still arrives once it has left', async () => {
    for (const [kind, n] of [
      ['send', 0],
      ['serve', 1],
      ['reply', 1],
      ['body', 1],
    ] as const) {
      const { world, arrived } = shop()
      const abort = new AbortController()
      const posted = watch(post(world.page(), 'one', abort.signal))
      atFirst(world, kind, () => abort.abort())
      await world.settle()
      expect([kind, posted.ended, arrived.length]).toEqual([kind, 'AbortError', n])
    }
  })

  it('offline reaches nobody, and an answer that comes then is lost', async () => {
    for (const [kind, n] of [
      ['send', 0],
      ['reply', 1],
      ['body', 1],
    ] as const) {
      const { world, arrived } = shop()
      const page = world.page()
      const posted = watch(post(page, 'one'))
      atFirst(world, kind, () => page.offline())
      await world.settle()
      expect([kind, posted.ended, arrived.length]).toEqual([kind, 'TypeError', n])
      expect(page.platform.online()).toBe(false)
    }
  })

  it('goes through where the browser only believes that it is offline', async () => {
    const { world } = shop()
    const page = world.page()
    page.offline('works')
    const posted = watch(post(page, 'one'))
    await world.settle()
    expect([page.platform.online(), posted.ended]).toEqual([false, '{"orders":1}'])
  })

  it('gets what the server answers: slowness, another address, no body, a body that breaks off', async () => {
    const { world } = shop()
    const { platform } = world.page()
    const answers = [
      () => Object.defineProperty(new Response('a'), 'redirected', { value: true }),
      () => new Response(null, { status: 204 }),
      () => new Response(new ReadableStream({ pull: body => body.error(new TypeError('cut')) })),
    ]
    world.server = async () => {
      await new Promise<void>(resolve => world.timer(700, resolve))
      return answers.shift()?.() ?? Response.error()
    }
    const seen: unknown[] = []
    for (const _ of [...answers]) {
      platform.fetch(ORDERS).then(async response => {
        const { status, redirected } = response.clone()
        const text = await response
          .clone()
          .text()
          .catch((error: Error) => error.message)
        seen.push([status, redirected, text, platform.monotonic()])
      })
    }
    await world.settle()
    expect(seen).toEqual(
      expect.arrayContaining([
        [200, true, 'a', 700],
        [204, false, '', 700],
        [200, false, 'cut', 700],
      ]),
    )
  })
})

describe('a frozen page', () => {
  it('keeps its locks, hears messages, and goes on where it was', async () => {
    const { world, arrived } = shop()
    const [page, other] = [world.page(), world.page()]
    const release = watch(Promise.resolve(page.platform.tryLock?.('checkout')))
    await world.run()
    const seen: string[] = []
    page.platform.channel('orders', () => seen.push('heard'))
    page.platform.timer(1_000, () => seen.push('timer'))
    page.platform.on('online', () => seen.push('online'))
    post(page, 'one').then(() => seen.push('answered'))
    page.freeze()
    page.online()
    other.platform.channel('orders', () => {}).post('hello')
    const refused = watch(Promise.resolve(other.platform.tryLock?.('checkout')))
    expect(await world.settle()).toBe(true)
    await world.wait(5_000)
    expect([seen, arrived, refused.ended]).toEqual([['heard'], ['one'], undefined])
    page.unfreeze()
    await world.settle()
    expect(seen.toSorted()).toEqual(['answered', 'heard', 'online', 'timer'])
    expect([typeof release.ended, page.platform.monotonic()]).toEqual(['function', 5_000])
  })
})

describe('a page that was frozen while it asked for a lock', () => {
  it('has it, and keeps the others out', async () => {
    const { world } = shop()
    const [page, other] = [world.page(), world.page()]
    const asked = watch(Promise.resolve(page.platform.tryLock?.('checkout')))
    page.freeze()
    await world.run()
    const refused = watch(Promise.resolve(other.platform.tryLock?.('checkout')))
    await world.run()
    expect([asked.ended, refused.ended]).toEqual(['never', undefined])
    page.unfreeze()
    await world.run()
    expect(asked.ended).toBeTypeOf('function')
  })
})

describe('a page in the back-forward cache', () => {
  it('runs its listeners of hide, lets its locks go, and then does nothing until it is shown', async () => {
    const { world } = shop()
    const [page, other] = [world.page(), world.page()]
    const held = watch(Promise.resolve(page.platform.tryLock?.('checkout')))
    await world.run()
    const seen: string[] = []
    page.platform.channel('orders', () => seen.push('heard'))
    for (const event of ['hide', 'visible', 'show'] as const) {
      page.platform.on(event, () => seen.push(`${event}, visible: ${page.platform.visible()}`))
    }
    page.platform.timer(1, () => seen.push('timer'))
    const { post } = other.platform.channel('orders', () => {})
    post('on the way')
    page.hide()
    post('too late')
    const taken = watch(Promise.resolve(other.platform.tryLock?.('checkout')))
    await world.settle()
    expect([typeof held.ended, typeof taken.ended]).toEqual(['function', 'function'])
    expect(seen).toEqual(['hide, visible: true'])
    await world.wait(1_000)
    page.show()
    await world.settle()
    expect(seen.slice(1).toSorted()).toEqual([
      'show, visible: true',
      'timer',
      'visible, visible: true',
    ])
  })

  it('does not get a lock that was granted on its way there', async () => {
    const { world } = shop()
    const page = world.page()
    const asked = watch(Promise.resolve(page.platform.tryLock?.('checkout')))
    atFirst(world, 'locked', () => page.hide())
    await world.settle()
    page.show()
    await world.settle()
    expect(asked.ended).toBe(undefined)
  })

  it('cannot be frozen: a state that makes no sense is refused', () => {
    const page = shop().world.page()
    page.hide()
    expect(() => page.freeze()).toThrow('Page A is cached: only a running page can become frozen.')
  })
})

describe('locks', () => {
  it('are exclusive, not re-entrant, seen by all, and free again after release, kill and reload', async () => {
    const { world } = shop()
    const [page, other] = [world.page(), world.page()]
    const tryLock = async (asker: Page, name = 'checkout') => {
      const asked = Promise.resolve(asker.platform.tryLock?.(name))
      await world.run()
      return asked
    }
    const release = await tryLock(page)
    expect(release).toBeTypeOf('function')
    expect(await tryLock(page)).toBe(undefined)
    expect(await tryLock(other)).toBe(undefined)
    expect(await tryLock(other, 'another')).toBeTypeOf('function')
    const held = other.platform.heldLocks()
    await world.run()
    expect([...(await held)]).toEqual(['checkout', 'another'])
    release?.()
    const second = await tryLock(other)
    release?.()
    expect([typeof second, await tryLock(page)]).toEqual(['function', undefined])
    const next = other.reload()
    expect(await tryLock(page)).toBeTypeOf('function')
    page.kill()
    expect(await tryLock(next)).toBeTypeOf('function')
  })

  it('do not exist on plain http, and neither does a digest', () => {
    const { platform } = shop().world.page({ secure: false })
    expect([platform.tryLock, platform.subtle]).toEqual([undefined, undefined])
  })
})

describe('a channel', () => {
  it('reaches every page but its own, in order, with copies, until it is closed', async () => {
    const { world } = shop({ pick: seeded(3) })
    const pages = [world.page(), world.page(), world.page()] as const
    const heard: unknown[][] = [[], [], []]
    const channels = pages.map((page, at) =>
      page.platform.channel('orders', message => heard[at]?.push(message)),
    )
    pages[1].platform.channel('elsewhere', message => heard[1]?.push(message))
    const message = { revision: 1 }
    channels[0]?.post(message)
    message.revision = 2
    channels[0]?.post(message)
    await world.run()
    channels[0]?.post('third')
    channels[2]?.close()
    await world.run()
    const both = [{ revision: 1 }, { revision: 2 }]
    expect(heard).toEqual([[], [...both, 'third'], both])
  })
})

describe('the order', () => {
  const letters = async (pick: Pick): Promise<readonly [string, World]> => {
    const { world } = shop({ pick })
    for (const page of [world.page(), world.page()]) keep(page, page.name)
    await world.settle()
    return [world.trace.map(({ page, kind }) => `${page} ${kind}`).join(', '), world]
  }

  it('can be enumerated: two pages with two points each have six', async () => {
    const orders: string[] = []
    let script: readonly number[] | undefined = []
    while (script) {
      const [order, world] = await letters(scripted(script))
      orders.push(order)
      script = nextScript(world.choices)
    }
    expect(orders.toSorted()).toEqual([
      'A store, A stored, B store, B stored',
      'A store, B store, A stored, B stored',
      'A store, B store, B stored, A stored',
      'B store, A store, A stored, B stored',
      'B store, A store, B stored, A stored',
      'B store, B stored, A store, A stored',
    ])
  })

  it('keeps transactions of one page in the order in which they were begun', async () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const { world, records } = shop({ pick: seeded(seed) })
      const page = world.page()
      keep(page, 'first')
      keep(page, 'second')
      await world.settle()
      expect(records.records()).toEqual([[KEY, 'second']])
    }
  })

  it('is the same for the same seed, another for another, and can be followed by its choices', async () => {
    const [world, ends] = await twoPages({ pick: seeded(7) })
    expect((await twoPages({ pick: seeded(7) }))[0].trace).toEqual(world.trace)
    const script = world.choices.map(({ taken }) => taken)
    const [followed, sameEnds] = await twoPages({ pick: scripted(script) })
    expect([followed.trace, sameEnds]).toEqual([world.trace, ends])
    expect((await twoPages({ pick: seeded(8) }))[0].trace).not.toEqual(world.trace)
  })

  it('may let time pass while something else could go on', async () => {
    const fired = new Set<string>()
    for (let seed = 0; seed < 200; seed += 1) {
      const { world } = shop({ pick: seeded(seed) })
      const page = world.page()
      const order: string[] = []
      page.platform.timer(30_000, () => order.push('timeout'))
      keep(page, 1).then(() => order.push('stored'))
      await world.settle()
      fired.add(order.join(' '))
    }
    expect([...fired].toSorted()).toEqual(['stored timeout', 'timeout stored'])
  })
})

describe('rest', () => {
  it('is found: twice the turns give the same run, with ky, hooks, forms and IndexedDB', async () => {
    for (let seed = 0; seed < 10; seed += 1) {
      const run = async (calmTurns: number) => {
        vi.stubGlobal('indexedDB', new IDBFactory())
        const openStore = () => createIndexedDbStore('strict')
        const options = { pick: seeded(seed), calmTurns, openStore }
        const [world, ends] = await twoPages(options)
        expect(new Set(world.trace.map(({ kind }) => kind))).toEqual(new Set(KINDS))
        return [world.trace, world.choices, ends]
      }
      expect(await run(2 * CALM_TURNS)).toEqual(await run(CALM_TURNS))
    }
  })

  it('is never found by code that goes round without waiting', async () => {
    const { world } = shop()
    const page = world.page()
    const again = () => {
      page.platform.timer(0, again)
    }
    again()
    await expect(world.settle()).rejects.toThrow('no time has passed')
  })
})
