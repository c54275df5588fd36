import { it } from 'vitest'
import { expectNoViolation } from './random.ts'

it('random schedules break no invariant', async () => {
  await expectNoViolation(1_000, 'with locks')
})
