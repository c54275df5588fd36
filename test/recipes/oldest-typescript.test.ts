import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { compile } from '../dist/compile.ts'
import recipes from './package.json' with { type: 'json' }

const { typescript: oldest } = recipes.devDependencies
const compiler = fileURLToPath(new URL('./node_modules/.bin/tsc', import.meta.url))

const entries = Object.keys(manifest.exports).filter(path => !path.endsWith('.json'))
const app = entries
  .map((path, n) => `export * as entry${n} from '${path.replace('.', manifest.name)}'`)
  .join('\n')

it.each([
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ['node16', { module: 'node16', moduleResolution: 'node16' }],
])(
  `compiles the declarations with TypeScript ${oldest}, under the resolution %s`,
  async (name, resolution) => {
    const options = { ...resolution, skipLibCheck: false, exactOptionalPropertyTypes: true }
    expect(await compile(`oldest-${name}`, { 'app.ts': app }, options, compiler)).toBe('')
  },
)
