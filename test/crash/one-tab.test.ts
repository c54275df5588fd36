import { expect, it } from 'vitest'
import type { OrderFaultName } from './faults.ts'
import { FAULT_NAMES, IMPORTANT_FAULTS } from './faults.ts'
import type { Interruption } from './interrupt.ts'
import { FREEZE, HIDE, KILL_AND_RESUME, KILL_AND_SUBMIT, strikeEverywhere } from './interrupt.ts'

const INTERRUPTIONS = [KILL_AND_SUBMIT, HIDE, KILL_AND_RESUME, FREEZE] as const

/** All of them where it matters, and in turn where a fault leads to the same places as another. */
function interruptionsOf(fault: OrderFaultName, at: number): readonly Interruption[] {
  if (process.env.LONG || IMPORTANT_FAULTS.includes(fault)) return INTERRUPTIONS
  const one = INTERRUPTIONS[at % INTERRUPTIONS.length]
  return one ? [one] : []
}

const plans = FAULT_NAMES.flatMap((fault, at) =>
  interruptionsOf(fault, at).map(interruption => ({
    fault,
    tabs: 1,
    interruption,
    name: Object.values(interruption).join(' and '),
  })),
)

it.each(plans)('$fault, and at every point: $name', async plan => {
  expect(await strikeEverywhere(plan)).toEqual([])
})
