import { spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }

const root = fileURLToPath(new URL('../..', import.meta.url))

/** An app that imports all that the package exports. */
export const WHOLE_APP: string = Object.keys(manifest.exports)
  .filter(path => !path.endsWith('.json'))
  .map((path, n) => `export * as entry${n} from '${path.replace('.', manifest.name)}'`)
  .join('\n')

/** How apps resolve its entries, and options under which its declarations have to stand alone. */
export const RESOLUTIONS = (['bundler', 'node16'] as const).map(name => ({
  name,
  options: {
    module: name === 'bundler' ? 'esnext' : name,
    moduleResolution: name,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
  },
}))

/**
 * Compiles files as an app of its own would: the package by its name, as it is built. Resolves with what the compiler
 * says, nothing if all is well.
 */
export async function compile(
  name: string,
  files: Readonly<Record<string, string>>,
  options: Readonly<Record<string, unknown>>,
  compiler: string = join(root, 'node_modules/.bin/tsc'),
): Promise<string> {
  const folder = join(root, 'test/.out', name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    jsx: 'react-jsx',
    strict: true,
    noEmit: true,
    ...options,
  }
  const config = { 'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*'] }) }
  for (const [file, text] of Object.entries({ ...files, ...config })) {
    await writeFile(join(folder, file), text)
  }
  return run(compiler, ['-p', folder])
}

function run(command: string, options: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, options, { cwd: root, shell: process.platform === 'win32' })
    let said = ''
    child.stdout.on('data', text => {
      said += text
    })
    child.stderr.on('data', text => {
      said += text
    })
    child.on('error', reject).on('close', () => resolve(said))
  })
}
