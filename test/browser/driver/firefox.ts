import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser as PuppeteerBrowser } from 'puppeteer-core'
import { connect } from 'puppeteer-core'
import type { Browser } from './driver.ts'
import { FirefoxTab } from './firefox-tab.ts'
import type { ProcessGroup } from './process-group.ts'
import { startGroup } from './process-group.ts'

export interface FirefoxOptions {
  readonly executablePath: string
  /** Beside those that every run has: https://searchfox.org/mozilla-central/source/modules/libpref/init */
  readonly preferences?: Readonly<Record<string, string | number | boolean>>
}

export interface FirefoxBrowser extends Browser {
  readonly engine: 'firefox'
  readonly tabs: readonly FirefoxTab[]
  newTab(url?: string): Promise<FirefoxTab>
}

/**
 * Firefox makes the profile fit for automation by itself. Puppeteer's own preferences are left out, as its flags are for
 * Chromium: they put all tabs into one process.
 */
const PREFERENCES = {
  // Every host name is this machine, which makes insecure origins and second sites.
  'network.dns.forceResolve': '127.0.0.1',
  // Being killed is no reason to open old tabs, or to ask.
  'browser.sessionstore.resume_from_crash': false,
  'toolkit.startup.max_resumed_crashes': -1,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
}

export async function launchFirefox(options: FirefoxOptions): Promise<FirefoxBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'sendonce-firefox-'))
  const preferences = Object.entries({ ...PREFERENCES, ...options.preferences })
  await writeFile(
    join(profile, 'user.js'),
    preferences.map(each => `user_pref(${each.map(part => JSON.stringify(part))});\n`).join(''),
  )
  const browser = new Firefox(options, profile)
  await browser.restart()
  return browser
}

class Firefox implements FirefoxBrowser {
  readonly engine = 'firefox'
  readonly #options: FirefoxOptions
  readonly #profile: string
  readonly #tabs = new Set<FirefoxTab>()
  #group: ProcessGroup | undefined
  #running: PuppeteerBrowser | undefined

  constructor(options: FirefoxOptions, profile: string) {
    this.#options = options
    this.#profile = profile
  }

  get tabs(): readonly FirefoxTab[] {
    return [...this.#tabs]
  }

  async restart(): Promise<void> {
    if (this.#group) throw new Error('Firefox is running: kill() comes before restart().')
    const args = ['--headless', '--no-remote', '--profile', this.#profile]
    this.#group = startGroup(this.#options.executablePath, [
      ...args,
      '--remote-debugging-port=0',
      'about:blank',
    ])
    const [, endpoint] = await this.#group.says(/^WebDriver BiDi listening on (ws:\S+)/)
    this.#running = await connect({
      browserWSEndpoint: `${endpoint}/session`,
      protocol: 'webDriverBiDi',
      defaultViewport: null,
      networkEnabled: false,
    })
  }

  async newTab(url?: string): Promise<FirefoxTab> {
    if (!this.#running) throw new Error('Firefox is not running: it was killed or closed.')
    const page = await this.#running.newPage()
    const tab = new FirefoxTab(page)
    this.#tabs.add(tab)
    page.once('close', () => this.#tabs.delete(tab))
    if (url) await tab.open(url)
    return tab
  }

  async kill(): Promise<void> {
    await this.#group?.kill()
    this.#group = undefined
    this.#running = undefined
    this.#tabs.clear()
  }

  async close(): Promise<void> {
    await this.kill()
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10 })
  }
}
