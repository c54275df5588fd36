import { it } from 'vitest'
import { live } from './model/live.ts'
import { PRESET_NAMES } from './presets.ts'

/** Of each preset; `idempotencyKey()` has a test of its own. */
const RUNS = process.env.LONG ? 2_000 : 30

it.each(PRESET_NAMES.filter(name => name !== 'idempotencyKey()'))(
  'households break no invariant with %s',
  async preset => {
    await live(preset, RUNS)
  },
)
