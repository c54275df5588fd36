import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { TestProject } from 'vitest/node'
import { namesIn } from '../../names.ts'
import { provideChromium } from './driver/provide-chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the built pages of test/browser/pages, to be served as it is. */
    readonly pages: string
    /** The folder of the built playground, for the project `wide`. */
    readonly playground: string
  }
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Once per run, before the browser tests: finds Chromium, builds the pages and the playground. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const tidy = await provideChromium(project)
  // Several projects of one run do this, each in a folder of its own.
  const folder = here(`../.out/${project.name}`)
  project.provide('pages', await buildPages(`${folder}/pages`))
  const playground = project.name === 'wide' ? await buildPlayground(`${folder}/playground`) : ''
  project.provide('playground', playground)
  return tidy
}

/** As `npm run build:playground` does, but with React in its development form, as for the pages. */
async function buildPlayground(outDir: string): Promise<string> {
  await build({
    configFile: here('../../vite.config.ts'),
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'warn',
    build: { outDir, minify: false, reportCompressedSize: false },
  })
  return outDir
}

/** One page for each HTML file in test/browser/pages; they get the package as it is published, from `dist`. */
export async function buildPages(outDir: string): Promise<string> {
  if (!existsSync(here('../../dist/index.js')))
    throw new Error('The browser tests run on the built package: run `npm run build` first.')
  const root = here('./pages')
  await build({
    configFile: false,
    root,
    base: './',
    logLevel: 'warn',
    resolve: { alias: namesIn('dist') },
    // React in its development form: StrictMode does everything twice there, and mistakes reach the console.
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: {
      outDir,
      emptyOutDir: true,
      minify: false,
      modulePreload: false,
      rolldownOptions: {
        input: readdirSync(root)
          .filter(name => name.endsWith('.html'))
          .map(name => `${root}/${name}`),
      },
    },
  })
  return outDir
}
