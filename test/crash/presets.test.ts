import { describe, expect, it } from 'vitest'
import type { FaultName } from './faults.ts'
import { FAULT_NAMES, specialFaults } from './faults.ts'
import type { Interruption } from './interrupt.ts'
import {
  FREEZE,
  HIDE,
  KILL_AND_RECOVER,
  KILL_AND_RESUME,
  KILL_AND_SUBMIT,
  strikeEverywhere,
} from './interrupt.ts'
import { strikePairs } from './pairs.ts'
import type { Preset } from './presets.ts'
import { PRESET_NAMES, presetOf } from './presets.ts'

/** A browser that sends again by itself makes two orders where nothing is promised: that nobody can know. */
const possible = ({ profile }: Preset) =>
  FAULT_NAMES.filter(fault => fault !== 'reset-reused' || profile.guarantee !== 'none')

const interruptionsOf = ({ profile }: Preset): readonly Interruption[] => [
  KILL_AND_RESUME,
  KILL_AND_SUBMIT,
  ...(profile.recover ? [KILL_AND_RECOVER] : []),
  FREEZE,
  HIDE,
]

/** Each fault with each interruption; in the short run what is special meets them in turn. */
function pairsOf(preset: Preset): readonly (readonly [FaultName, Interruption])[] {
  const interruptions = interruptionsOf(preset)
  const all = (fault: FaultName) => interruptions.map(each => [fault, each] as const)
  const special = specialFaults(preset)
  return process.env.LONG
    ? [...possible(preset), ...special].flatMap(all)
    : [
        ...all('lose-reply'),
        ...special.flatMap((fault, nth) =>
          all(fault).filter((_, at) => at === nth % interruptions.length),
        ),
      ]
}

/** So many plans after each other strike every point once. */
const EVERY = process.env.LONG ? 1 : 4
/** So many points of a run may be struck after each other. */
const PAIRS = process.env.LONG ? 2_000 : 10

describe.each(PRESET_NAMES)('%s', name => {
  const preset = presetOf(name)
  const shop = () => ({ preset })
  const plans = pairsOf(preset).map(([fault, interruption], nth) => {
    const act = Object.values(interruption).join(' and ')
    return { fault, act, nth, plan: { fault, tabs: 1, interruption, shop, where: name } }
  })

  it.each(plans)('$fault, and at a point: $act', async ({ plan, nth }) => {
    expect(await strikeEverywhere(plan, { every: EVERY, first: nth % EVERY })).toEqual([])
  })

  it(`${PAIRS} pairs of points, drawn by a seed`, async () => {
    const faults = [...possible(preset), ...specialFaults(preset)]
    const drawn = { faults, interruptions: interruptionsOf(preset), shop, where: name }
    expect(await strikePairs(drawn, PAIRS)).toEqual([])
  })
})
