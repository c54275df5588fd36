import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Rolldown } from 'vite'
import { build } from 'vite'
import type { Arm } from './arms.ts'
import { ARMS } from './arms.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const resolve = {
  alias: [
    { find: /^sendonce$/, replacement: here('../../../src/index.ts') },
    { find: /^sendonce\/form$/, replacement: here('../../../src/form/index.ts') },
  ],
}
const settings = { minify: 'oxc', target: 'es2022', modulePreload: false } as const

/** Builds the pages of all arms, as an app would be, and resolves with their folder. */
export async function buildPages(): Promise<string> {
  const outDir = here('../../.out/bench-peers')
  const of = (names: readonly string[], emptyOutDir: boolean) =>
    build({
      configFile: false,
      root: here('../peers'),
      logLevel: 'error',
      resolve,
      build: {
        ...settings,
        outDir,
        emptyOutDir,
        rolldownOptions: {
          input: names.map(name => here(`../peers/${name}`)),
          output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
        },
      },
    })
  const pages = new Set(['times', ...ARMS.map(({ page }) => page)])
  const sources = [...pages].map(page => `${page}.${page === 'tanstack-query' ? 'tsx' : 'ts'}`)
  await of(sources, true)
  // By itself: the worker of a page shares no chunk with it.
  await of(['worker/workbox-worker.ts'], false)
  return outDir
}

/** In gzip bytes, what an app ships for an arm; React, if it takes one, is there anyway. */
export async function sizeOf(arm: Arm, external: readonly string[] = []): Promise<number> {
  const entry = here('../peers/entry.ts')
  const output = await build({
    configFile: false,
    root: here('../peers'),
    logLevel: 'error',
    plugins: [
      {
        name: 'entry',
        // Beside the pages, so that what it imports is looked for where they find it.
        resolveId: id => (id === entry ? id : undefined),
        load: id => (id === entry ? (arm.imports ?? []).join('\n') || 'export {}' : undefined),
      },
    ],
    resolve,
    build: {
      ...settings,
      write: false,
      rolldownOptions: {
        input: entry,
        external: ['react', 'react-dom', 'react/jsx-runtime', ...external],
        preserveEntrySignatures: 'strict',
      },
    },
  })
  const { output: chunks } = [output].flat()[0] as Rolldown.RolldownOutput
  const code = chunks.map(chunk => (chunk.type === 'chunk' ? chunk.code : '')).join('\n')
  return code.trim() === '' ? 0 : gzipSync(code, { level: 9 }).length
}
