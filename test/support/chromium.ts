import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'

/** In the order of preference; what Linux distributions, Homebrew and Windows call it. */
const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chromium.exe',
  'chrome.exe',
]

const WINDOWS_PATHS = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap(variable => {
  const folder = process.env[variable]
  return folder === undefined
    ? []
    : [
        join(folder, 'Google/Chrome/Application/chrome.exe'),
        join(folder, 'Chromium/Application/chrome.exe'),
        join(folder, 'Microsoft/Edge/Application/msedge.exe'),
      ]
})

/** Where installers put it without telling `PATH`. */
const USUAL_PATHS = [
  '/usr/lib/chromium/chromium',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ...WINDOWS_PATHS,
]

/**
 * The path of an installed Chromium or Chrome: `CHROMIUM_PATH` if set, else from `PATH`, else from the usual places.
 * Throws if `CHROMIUM_PATH` names no program.
 */
export function findChromium(): string | undefined {
  const given = process.env.CHROMIUM_PATH
  if (given) {
    if (isProgram(given)) return given
    throw new Error(`CHROMIUM_PATH is ${given}, which is no program: correct it or unset it.`)
  }
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return [...NAMES.flatMap(name => folders.map(folder => join(folder, name))), ...USUAL_PATHS].find(
    isProgram,
  )
}

/** {@link findChromium}, or, as root on Debian, installs it; throws one sentence that says what to install. */
export function ensureChromium(): string {
  const found = findChromium() ?? installOnDebian()
  if (found) return found
  throw new Error(
    'The browser tests found no Chromium: install Chromium or Chrome (on Debian `apt-get install chromium`), or set CHROMIUM_PATH to one.',
  )
}

function installOnDebian(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined
  console.log('The browser tests found no Chromium: installing it with apt-get.')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const task of [['update'], ['install', '-y', 'chromium']]) {
    spawnSync('apt-get', ['-qq', ...task], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  }
  return findChromium()
}

function isProgram(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
