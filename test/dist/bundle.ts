import { gzipSync } from 'node:zlib'
import type { Rolldown } from 'vite'
import { build } from 'vite'
import { namesIn } from '../../names.ts'

const DEPENDENCIES = { ky: 'ky', nanoid: 'nanoid', 'idb-keyval': 'idbKeyval' }

/** What an app has anyway, or counts for itself; by the name that a script finds it under. */
const EXTERNAL = {
  ...DEPENDENCIES,
  react: 'React',
  'react/jsx-runtime': 'ReactJsx',
  msw: 'msw',
}

const ENTRY = 'virtual:entry'

export interface BundleOptions {
  /** @default 'es' */
  readonly format?: 'es' | 'iife'
  /** With those of the package in it. @default false */
  readonly dependencies?: boolean
}

/** A module that takes from the built package what it says, as an app's bundler leaves it: shaken and minified. */
export async function bundle(
  entry: string,
  { format = 'es', dependencies = false }: BundleOptions = {},
): Promise<string> {
  const external = Object.keys(EXTERNAL).filter(name => !(dependencies && name in DEPENDENCIES))
  const output = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'entry',
        resolveId: id => (id === ENTRY ? id : undefined),
        load: id => (id === ENTRY ? entry : undefined),
      },
    ],
    resolve: { alias: namesIn('dist') },
    build: {
      write: false,
      // Not the library mode, whose modules keep their white space.
      minify: 'oxc',
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: ENTRY,
        external,
        preserveEntrySignatures: 'strict',
        output: { format, name: 'entry', globals: EXTERNAL },
      },
    },
  })
  const { output: chunks } = [output].flat()[0] as Rolldown.RolldownOutput
  return chunks.map(chunk => (chunk.type === 'chunk' ? chunk.code : '')).join('\n')
}

/** The names under which {@link bundle} expects what it leaves out, in the form `iife`. */
export const GLOBALS: readonly string[] = Object.values(EXTERNAL)

/** In bytes, as a server sends it. */
export function gzipped(code: string): number {
  return gzipSync(code, { level: 9 }).length
}
