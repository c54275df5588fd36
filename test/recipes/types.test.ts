import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Where the scripts of components lie as modules of their own, so that the project's compiler takes them. */
const SCRIPTS = here('./.scripts')

it('has only recipes that compile, strictly', () => {
  rmSync(SCRIPTS, { recursive: true, force: true })
  mkdirSync(SCRIPTS)
  for (const file of ['checkout-button.vue', 'checkout-button.svelte']) {
    const [, script = ''] =
      readFileSync(here(file), 'utf8').match(/<script.*?>(.*?)<\/script>/s) ?? []
    expect(script).not.toBe('')
    writeFileSync(`${SCRIPTS}/${file.replace('.', '-')}.ts`, script.replaceAll("'./", "'../"))
  }
  const { stdout } = spawnSync(here('../../node_modules/.bin/tsc'), ['-p', here('.')], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  expect(stdout).toBe('')
})
