import { it } from 'vitest'
import { expectNoViolation } from './random.ts'

// The other half of the random schedules: a file of its own, so that it runs beside the first.

it('random schedules break no invariant on plain http, without locks', async () => {
  await expectNoViolation(400, 'plain http', { secure: false })
})
