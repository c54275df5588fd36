import { describe, expect, it } from 'vitest'
import { IMPORTANT_FAULTS } from './faults.ts'
import { FREEZE, HIDE, KILL_AND_BOTH, strikeEverywhere } from './interrupt.ts'

/** So many faults after each other strike every point once. */
const EVERY = process.env.LONG ? 1 : IMPORTANT_FAULTS.length

describe.each(IMPORTANT_FAULTS.map((fault, first) => ({ fault, first })))('$fault', plan => {
  const { fault, first } = plan
  const thinned = { every: EVERY, first: first % EVERY }

  it('one of three tabs is killed', async () => {
    const killed = { fault, tabs: 3, interruption: KILL_AND_BOTH }
    expect(await strikeEverywhere(killed, thinned)).toEqual([])
  })

  it('one of three tabs is killed, and a fourth comes late', async () => {
    const killed = { fault, tabs: 3, late: true, interruption: KILL_AND_BOTH }
    expect(await strikeEverywhere(killed, thinned)).toEqual([])
  })

  it.runIf(process.env.LONG).each([FREEZE, HIDE])('one of three tabs: $act', async interruption => {
    expect(await strikeEverywhere({ fault, tabs: 3, interruption })).toEqual([])
  })
})
