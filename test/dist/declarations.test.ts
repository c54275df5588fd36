import { expect, it } from 'vitest'
import { compile, RESOLUTIONS, WHOLE_APP } from './compile.ts'

it.each(RESOLUTIONS)(
  'compile under the resolution $name without skipLibCheck',
  async ({ name, options }) => {
    expect(await compile(`declarations-${name}`, { 'app.ts': WHOLE_APP }, options)).toBe('')
  },
)
