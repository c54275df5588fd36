import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { compile, RESOLUTIONS, WHOLE_APP } from '../dist/compile.ts'
import recipes from './package.json' with { type: 'json' }

const { typescript: oldest } = recipes.devDependencies
const compiler = fileURLToPath(new URL('./node_modules/.bin/tsc', import.meta.url))

it.each(RESOLUTIONS)(
  `compiles the declarations with TypeScript ${oldest}, under the resolution $name`,
  async ({ name, options }) => {
    expect(await compile(`oldest-${name}`, { 'app.ts': WHOLE_APP }, options, compiler)).toBe('')
  },
)
