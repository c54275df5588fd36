import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { provideChromium } from '../../browser/driver/provide-chromium.ts'
import { installLibraries } from './install.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the built pages of test/recipes. */
    readonly recipes: string
  }
}

/** Once per run: installs the libraries of others, and builds all recipes as one app. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
  if (!existsSync(here('../../dist/index.js'))) {
    throw new Error('The recipes run on the built package: run `npm run build` first.')
  }
  const tidy = await provideChromium(project)
  installLibraries()
  // Not before they are installed: it loads the plugins of Vue and Svelte.
  const { buildRecipes } = await import('./build.ts')
  project.provide('recipes', await buildRecipes(here('../.out/recipes')))
  return tidy
}
