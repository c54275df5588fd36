import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** A path of test/recipes. */
const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The lock file that was installed, as it was then. */
const INSTALLED = here('node_modules/.installed.json')

/** Installs the libraries of the recipes, unless those of the lock file are there. */
export function installLibraries(): void {
  const wanted = readFileSync(here('package-lock.json'), 'utf8')
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === wanted) return
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here(''),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  writeFileSync(INSTALLED, wanted)
}
