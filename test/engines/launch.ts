import { inject } from 'vitest'
import { launchChromium } from '../browser/driver/chromium.ts'
import type { Browser } from '../browser/driver/driver.ts'
import { launchFirefox } from '../browser/driver/firefox.ts'
import { launchWebKit } from '../browser/driver/webkit.ts'
import type { Engine, Installed } from './installed.ts'

/**
 * What a person has decided about stored data. `private`: a private window, which forgets. `denied`: sites may store
 * nothing.
 */
export type Storage = 'kept' | 'private' | 'denied'

/** Starts an engine that is installed. */
export function launch(engine: Engine, storage: Storage = 'kept'): Promise<Browser> {
  return LAUNCHES[engine](storage)
}

const LAUNCHES: Readonly<Record<Engine, (storage: Storage) => Promise<Browser>>> = {
  chromium: storage =>
    launchChromium({
      ...of('chromium'),
      flags: storage === 'private' ? ['--incognito'] : [],
    }),
  firefox: storage =>
    launchFirefox({
      ...of('firefox'),
      preferences: {
        ...(storage === 'private' && { 'browser.privatebrowsing.autostart': true }),
        // "Block all cookies", which means all site data.
        ...(storage === 'denied' && { 'network.cookie.cookieBehavior': 2 }),
      },
    }),
  webkit: storage =>
    launchWebKit({
      ...of('webkit'),
      ephemeral: storage === 'private',
      // As in Lockdown Mode.
      features: storage === 'denied' ? { IndexedDBAPI: false, LocalStorage: false } : {},
    }),
}

function of<E extends Engine>(engine: E): NonNullable<Installed[E]> {
  const found = inject('engines')[engine]
  if (!found) throw new Error(`There is no ${engine} here.`)
  return found
}
