import { setImmediate as nextTask } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { Tab } from './shop.ts'
import { keyOf, nameOf, order, Shop, watch } from './shop.ts'

const JOIN_MS = 1_000

/** A success of which nobody was told: the page that got it died. */
async function untold(shop: Shop): Promise<Tab> {
  const { page, client } = shop.open()
  await shop.ending(client.submit('checkout', order()))
  // What happened is written down; that somebody was told would be a moment later.
  await shop.world.run()
  return shop.open({}, page.reload())
}

/** A page in which the operation is known to be unknown. */
async function interrupted(shop: Shop): Promise<Tab> {
  const { page, client } = shop.open()
  shop.server.next('hang-after-effect')
  void client.submit('checkout', order())
  await shop.arrivals(1)
  const tab = shop.open({}, page.reload())
  tab.client.operation('checkout').subscribe(() => {})
  await shop.world.run()
  return tab
}

/** Each snapshot that a listener was called for. */
function heard({ client }: Tab): string[] {
  const handle = client.operation('checkout')
  const names: string[] = []
  handle.subscribe(() => void names.push(nameOf(handle.getSnapshot())))
  return names
}

/** Of all that nobody holds; what was reached in this task is held until its end. */
async function collectGarbage(): Promise<void> {
  await nextTask()
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

describe('a snapshot', () => {
  it('is idle only where the disk says so, also if two look at once', async () => {
    const shop = new Shop()
    const { page } = await interrupted(shop)
    const tab = shop.open({}, page.reload())
    const names = [heard(tab), heard(tab)]
    await shop.world.run()
    expect(new Set(names.flat())).toEqual(new Set(['unknown:interrupted']))
  })

  it('of what a list has found is the one in the list, as long as the list is held', async () => {
    const shop = new Shop()
    const { page } = await interrupted(shop)
    const { client } = shop.open({}, page.reload())
    const list = await shop.ending(client.unsettled())
    await collectGarbage()
    expect(list.map(({ operation }) => client.operation(operation).getSnapshot())).toEqual(
      list.map(({ snapshot }) => snapshot),
    )
    expect(list).toHaveLength(1)
  })

  it('is sending in the task in which it is resumed', async () => {
    const shop = new Shop()
    const { client } = await interrupted(shop)
    const handle = client.operation('checkout')
    expect(nameOf(handle.getSnapshot())).toBe('unknown:interrupted')
    const outcome = handle.resume()
    expect(nameOf(handle.getSnapshot())).toBe('sending')
    expect(await shop.ending(outcome)).toMatchObject({ state: 'succeeded' })
  })

  it('says which attempt of its turn is being made, and how many there may be', async () => {
    const shop = new Shop()
    const { client } = shop.open({ retry: { maxAttempts: 3 } })
    const handle = client.operation('checkout')
    const turns: string[] = []
    handle.subscribe(() => {
      const snapshot = handle.getSnapshot()
      if (!('turn' in snapshot) || !snapshot.turn) return
      const { attempt, maxAttempts } = snapshot.turn
      const said = `${snapshot.state} ${attempt} of ${maxAttempts}`
      if (turns.at(-1) !== said) turns.push(said)
    })
    shop.server.next('lose-reply', { requests: 3 })
    await shop.ending(client.submit('checkout', order()))
    expect(turns.filter(said => !said.includes(' 0 '))).toEqual([
      'sending 1 of 3',
      'waiting 1 of 3',
      'sending 2 of 3',
      'waiting 2 of 3',
      'sending 3 of 3',
    ])
    turns.length = 0
    await shop.ending(handle.resume())
    expect(turns.filter(said => !said.includes(' 0 '))).toContain('sending 1 of 3')
  })

  it('goes back to idle where there is nothing to resume', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const resumed = watch(client.operation('checkout').resume())
    await shop.world.run()
    expect(resumed.error).toMatchObject({ code: 'invalid-argument' })
    expect(nameOf(client.operation('checkout').getSnapshot())).toBe('idle')
  })

  it('is paused after a submit where nobody is signed in', async () => {
    const shop = new Shop()
    const { client } = shop.open({ scope: () => null })
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(nameOf(outcome)).toBe('paused:scope')
    expect(nameOf(client.operation('checkout').getSnapshot())).toBe('paused:scope')
  })

  it('is news until it is acknowledged', async () => {
    const shop = new Shop()
    const { client } = await untold(shop)
    const handle = client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.run()
    expect(handle.getSnapshot()).toMatchObject({ state: 'succeeded', news: true })
    handle.acknowledge()
    await shop.world.settle()
    expect(handle.getSnapshot()).toMatchObject({ state: 'succeeded', news: false })
  })

  it('is no news in a page that looks again after another was told', async () => {
    const shop = new Shop()
    const first = await untold(shop)
    const second = shop.open({}, { visible: false })
    for (const { client } of [first, second]) client.operation('checkout').subscribe(() => {})
    await shop.world.run()
    first.client.operation('checkout').acknowledge()
    await shop.world.settle()
    second.page.foreground()
    await shop.world.run()
    expect(second.client.operation('checkout').getSnapshot()).toMatchObject({ news: false })
  })
})

describe('a success that was acknowledged', () => {
  it('is followed by another order on purpose', async () => {
    const shop = new Shop()
    const { client } = await untold(shop)
    const handle = client.operation('checkout')
    handle.subscribe(() => {})
    await shop.world.run()
    handle.acknowledge()
    await shop.world.wait(JOIN_MS)
    const again = await shop.ending(handle.submit(order()))
    expect(shop.placed).toBe(2)
    expect(shop.keys).toContain(keyOf(again))
    expect(shop.keys).toHaveLength(2)
  })
})

describe('a look at the disk', () => {
  it('at any moment of a turn does not hide how that ended', async () => {
    const look = async (place?: number): Promise<number> => {
      const shop = new Shop()
      const { client } = shop.open()
      const handle = client.operation('checkout')
      shop.world.at = (_, at) => {
        if (at === place) handle.subscribe(() => {})
      }
      const sent = watch(handle.submit(order()))
      await shop.world.settle()
      expect([place, sent.value?.state]).toEqual([place, 'succeeded'])
      expect([place, nameOf(handle.getSnapshot())]).toEqual([place, 'succeeded'])
      return shop.world.trace.length
    }
    const points = await look()
    for (let place = 0; place < points; place += 1) await look(place)
  })
})
