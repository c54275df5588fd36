import { describe, expect, it } from 'vitest'
import type { FaultName } from './faults.ts'
import { FAULT_NAMES } from './faults.ts'
import { GUARANTEES } from './guarantees.ts'
import { FREEZE, HIDE, KILL_AND_RESUME, KILL_AND_SUBMIT, strikeEverywhere } from './interrupt.ts'

/** A browser that sends again by itself makes two orders where nothing is promised: that nobody can know. */
const FAULTS: readonly FaultName[] = process.env.LONG
  ? FAULT_NAMES.filter(fault => fault !== 'reset-reused')
  : ['nothing', 'lose-reply', 'hang']

describe.each(['reject', 'window', 'none'] as const)('a server that promises %s', promise => {
  const shop = () => GUARANTEES[promise]
  const plans = FAULTS.flatMap(fault =>
    [KILL_AND_RESUME, KILL_AND_SUBMIT, FREEZE, HIDE].map(interruption => ({
      fault,
      tabs: 1,
      interruption,
      shop,
      where: `promise: ${promise}`,
      name: Object.values(interruption).join(' and '),
    })),
  )

  it.each(plans)('$fault, and at every point: $name', async plan => {
    expect(await strikeEverywhere(plan)).toEqual([])
  })
})
