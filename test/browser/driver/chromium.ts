import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser as PuppeteerBrowser } from 'puppeteer-core'
import { launch } from 'puppeteer-core'
import type { ChromiumBrowser, ChromiumTab, UnwatchedTab } from './chromium-only.ts'
import { CdpTab } from './chromium-tab.ts'
import { DEVELOPERS_PAGES, isWatched, openUnwatched } from './unwatched-tab.ts'

export interface ChromiumOptions {
  /** Chromium or Chrome, as found by `findChromium`. */
  readonly executablePath: string
  /** Further command line flags. */
  readonly flags?: readonly string[]
  /**
   * The folder in which it makes the one for its profile.
   * @default that of the system for what is temporary
   */
  readonly profiles?: string
}

/**
 * The whole command line. Puppeteer's own defaults are left out, because they falsify what is tested here: they keep
 * background tabs and their timers at full speed and put tabs of one site into one process.
 */
const FLAGS = [
  '--headless=new',
  '--window-size=1280,800',
  '--hide-scrollbars',
  '--mute-audio',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-breakpad',
  '--disable-popup-blocking',
  '--password-store=basic',
  '--use-mock-keychain',
  // A tab that crashes must not take the other tabs of its site along.
  '--disable-features=ProcessPerSiteUpToMainFrameThreshold,Translate',
  '--host-resolver-rules=MAP *.test 127.0.0.1',
]

/** A command that the browser has not answered by then is not going to be. Below the limit of a test, which would not say which. */
const COMMAND_LIMIT_MS = 40_000

export async function launchChromium(options: ChromiumOptions): Promise<ChromiumBrowser> {
  const { profiles = tmpdir() } = options
  const profile = await mkdtemp(join(profiles, 'sendonce-chromium-'))
  await writeFile(join(profile, 'Local State'), DEVELOPERS_PAGES)
  const browser = new Chromium(options, profile)
  await browser.restart()
  return browser
}

class Chromium implements ChromiumBrowser {
  readonly engine = 'chromium'
  readonly #options: ChromiumOptions
  readonly #profile: string
  readonly #tabs = new Set<ChromiumTab>()
  #running: PuppeteerBrowser | undefined

  constructor(options: ChromiumOptions, profile: string) {
    this.#options = options
    this.#profile = profile
  }

  get tabs(): readonly ChromiumTab[] {
    return [...this.#tabs]
  }

  async restart(): Promise<void> {
    if (this.#running) throw new Error('Chromium is running: kill() comes before restart().')
    this.#running = await launch({
      executablePath: this.#options.executablePath,
      ignoreDefaultArgs: true,
      args: [
        ...FLAGS,
        // Chromium's sandbox refuses root, who is all there is in most containers.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        `--user-data-dir=${this.#profile}`,
        ...(this.#options.flags ?? []),
        'about:blank',
      ],
      // Chromium ends when the pipe does: however a test run dies, no browser is left behind.
      pipe: true,
      targetFilter: isWatched,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      protocolTimeout: COMMAND_LIMIT_MS,
      // Nothing may be emulated or watched that a test has not asked for.
      defaultViewport: null,
      networkEnabled: false,
      issuesEnabled: false,
    })
  }

  async newTab(url?: string): Promise<ChromiumTab> {
    const page = await this.#alive().newPage()
    const tab = await CdpTab.attach(page)
    this.#tabs.add(tab)
    page.once('close', () => this.#tabs.delete(tab))
    if (url) await tab.open(url)
    return tab
  }

  async openUnwatched(url: string): Promise<UnwatchedTab> {
    const session = await this.#alive().target().createCDPSession()
    return openUnwatched(session, page => this.newTab(page), url)
  }

  async clearCookies(): Promise<void> {
    const session = await this.#alive().target().createCDPSession()
    await session.send('Storage.clearCookies')
    await session.detach()
  }

  async kill(): Promise<void> {
    const browserProcess = this.#running?.process()
    this.#running = undefined
    this.#tabs.clear()
    if (!browserProcess?.pid || browserProcess.exitCode !== null) return
    const exited = once(browserProcess, 'exit')
    // Puppeteer makes the browser the leader of a process group, except on Windows, which has none.
    if (process.platform === 'win32') browserProcess.kill('SIGKILL')
    else process.kill(-browserProcess.pid, 'SIGKILL')
    await exited
  }

  #alive(): PuppeteerBrowser {
    if (!this.#running) throw new Error('Chromium is not running: it was killed or closed.')
    return this.#running
  }

  async close(): Promise<void> {
    await this.kill()
    // Windows keeps files of a process that has just ended locked for a moment.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10 })
  }
}
