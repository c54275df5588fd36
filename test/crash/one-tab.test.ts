import { describe, it } from 'vitest'
import { FAULT_NAMES } from './faults.ts'
import { strikeEverywhere } from './interrupt.ts'
import { Tally } from './tally.ts'

describe.each(FAULT_NAMES)('%s', fault => {
  it.each([
    { act: 'kill', then: 'resume' },
    { act: 'kill', then: 'submit' },
    { act: 'freeze' },
    { act: 'hide' },
  ] as const)('$act $then', async how => {
    const tally = new Tally(`${fault} ${how.act}`)
    await strikeEverywhere({ fault, tabs: 1, ...how }, tally)
    tally.print()
  })
})
