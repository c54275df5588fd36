import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { compile } from './compile.ts'

const entries = Object.keys(manifest.exports).filter(path => !path.endsWith('.json'))
const app = entries
  .map((path, n) => `export * as entry${n} from '${path.replace('.', manifest.name)}'`)
  .join('\n')

it.each([
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
  ['node16', { module: 'node16', moduleResolution: 'node16' }],
])('compile under the resolution %s without skipLibCheck', async (name, resolution) => {
  const options = { ...resolution, skipLibCheck: false, exactOptionalPropertyTypes: true }
  expect(await compile(`declarations-${name}`, { 'app.ts': app }, options)).toBe('')
})
