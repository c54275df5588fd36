import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { findChromium } from '../support/chromium.ts'

/** The programs of each engine that is there. */
export interface Installed {
  readonly chromium?: { readonly executablePath: string }
  readonly firefox?: { readonly executablePath: string }
  readonly webkit?: {
    readonly driverPath: string
    readonly gjsPath: string
    readonly screenPath: string
  }
}

export type Engine = keyof Installed

/** What Debian calls them. WebKit takes four: its driver, a screen, GJS that runs the browser, and the engine's names in GJS. */
export const DEBIAN_PACKAGES: Readonly<Record<Engine, string>> = {
  chromium: 'chromium',
  firefox: 'firefox-esr',
  webkit: 'webkit2gtk-driver xvfb gjs gir1.2-webkit2-4.1',
}

const FIREFOX = [
  'firefox-esr',
  'firefox',
  '/usr/lib/firefox-esr/firefox-esr',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
]

/** `FIREFOX_PATH` comes before `PATH`, as `CHROMIUM_PATH` does. */
export function findEngines(): Installed {
  const chromium = findChromium()
  const firefox = process.env.FIREFOX_PATH || findProgram(...FIREFOX)
  const [driverPath, gjsPath, screenPath] = ['WebKitWebDriver', 'gjs', 'Xvfb'].map(name =>
    findProgram(name),
  )
  return {
    ...(chromium && { chromium: { executablePath: chromium } }),
    ...(firefox && { firefox: { executablePath: firefox } }),
    ...(driverPath && gjsPath && screenPath && { webkit: { driverPath, gjsPath, screenPath } }),
  }
}

function findProgram(...names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return names
    .flatMap(name => (name.startsWith('/') ? [name] : folders.map(folder => join(folder, name))))
    .find(path => existsSync(path))
}
