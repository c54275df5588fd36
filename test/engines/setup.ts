import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { buildPages } from '../browser/setup.ts'
import type { Engine, Installed } from './installed.ts'
import { DEBIAN_PACKAGES, findEngines } from './installed.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly engines: Installed
  }
}

/** Once per run: looks which engines are there. One that is missing is skipped, on the developer's machine only. */
export async function setup(project: TestProject): Promise<void> {
  const engines = findEngines()
  for (const [engine, packages] of Object.entries(DEBIAN_PACKAGES)) {
    if (engines[engine as Engine]) continue
    const missing = `There is no ${engine} here: \`apt-get install ${packages}\` on Debian.`
    if (process.env.CI) throw new Error(missing)
    console.warn(`${missing} Its tests are skipped.`)
  }
  project.provide('engines', engines)
  project.provide(
    'pages',
    await buildPages(fileURLToPath(new URL('../.out/engines', import.meta.url))),
  )
}
