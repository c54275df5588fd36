import { expect, it } from 'vitest'
import { order, Shop } from './shop.ts'

it('stops showing that a frozen page sends at the moment its lease is over', async () => {
  const shop = new Shop()
  const retry = { attemptTimeoutMs: 1_500 }
  const a = shop.open({ retry })
  const b = shop.open({ retry })
  const shown: [state: string, at: number][] = []
  const operation = b.client.operation('checkout')
  operation.subscribe(() => shown.push([operation.getSnapshot().state, shop.world.now()]))
  shop.server.next('hang-after-effect')
  void a.client.submit('checkout', order()).catch(() => {})
  await shop.arrivals(1)
  const { startedAt } = a.client.operation('checkout').getSnapshot() as { startedAt: number }
  await shop.world.wait(700)
  a.page.freeze()
  await shop.world.wait(5_000)
  const unknown = shown.find(([state]) => state === 'unknown')
  expect(Number(unknown?.[1]) - startedAt).toBe(2_500)
})
