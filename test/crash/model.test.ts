import { expect, it } from 'vitest'
import { live } from './model/live.ts'

const RUNS = process.env.LONG ? 20_000 : 600

it(`${RUNS} households break no invariant, whatever people, clocks and the server do`, async () => {
  const ends = (await live('idempotencyKey()', RUNS)).join()
  for (const state of ['succeeded', 'refused', 'paused', 'unknown']) expect(ends).toContain(state)
})
