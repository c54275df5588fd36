import { expect, it } from 'vitest'
import { PRESET_NAMES, presetOf } from './presets.ts'
import { expectNoViolation } from './random.ts'

/** Each ending must come about so often in the long run, or nothing is shown of it. */
const LEAST = process.env.LONG ? 100 : 1

it('random schedules break no invariant with any preset, and lead to every ending', async () => {
  const endings = new Map<string, number>()
  for (const name of PRESET_NAMES) {
    const preset = presetOf(name)
    for (const [ended, count] of await expectNoViolation(40, name, { preset })) {
      const [state = ''] = ended.split(':')
      endings.set(state, (endings.get(state) ?? 0) + count)
    }
  }
  for (const state of ['succeeded', 'refused', 'paused', 'unknown']) {
    expect([state, (endings.get(state) ?? 0) >= LEAST]).toEqual([state, true])
  }
})
