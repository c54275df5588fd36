import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from './driver.ts'
import type { ProcessGroup } from './process-group.ts'
import { startGroup } from './process-group.ts'
import type { Hosts } from './webkit-hosts.ts'
import { startHosts } from './webkit-hosts.ts'
import { Session } from './webkit-session.ts'
import { WebKitTab } from './webkit-tab.ts'

export interface WebKitOptions {
  /** The paths of WebKitWebDriver, GJS and Xvfb. */
  readonly driverPath: string
  readonly gjsPath: string
  readonly screenPath: string
  /** Nothing is kept on disk, as in a private window. @default false */
  readonly ephemeral?: boolean
  /** Features of the engine, by their names, on or off. @default as it comes */
  readonly features?: Readonly<Record<string, boolean>>
}

export interface WebKitBrowser extends Browser {
  readonly engine: 'webkit'
}

const APP = fileURLToPath(new URL('webkit-browser.js', import.meta.url))

/** How often the driver is asked whether it is up. */
const LOOK_AGAIN_MS = 20

export async function launchWebKit(options: WebKitOptions): Promise<WebKitBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'sendonce-webkit-'))
  // WebKitGTK has no headless mode.
  const screen = startGroup(options.screenPath, ['-displayfd', '2', '-nolisten', 'tcp'])
  const [display] = await screen.says(/^\d+$/)
  const browser = new WebKit(options, profile, { screen, display, hosts: await startHosts() })
  await browser.restart()
  return browser
}

interface Surroundings {
  readonly screen: ProcessGroup
  readonly display: string
  readonly hosts: Hosts
}

class WebKit implements WebKitBrowser {
  readonly engine = 'webkit'
  readonly #options: WebKitOptions
  readonly #profile: string
  readonly #around: Surroundings
  readonly #tabs = new Set<WebKitTab>()
  #group: ProcessGroup | undefined
  #session: Session | undefined

  constructor(options: WebKitOptions, profile: string, around: Surroundings) {
    this.#options = options
    this.#profile = profile
    this.#around = around
  }

  get tabs(): readonly WebKitTab[] {
    return [...this.#tabs]
  }

  async restart(): Promise<void> {
    if (this.#group) throw new Error('WebKit is running: kill() comes before restart().')
    const { driverPath, gjsPath, ephemeral, features } = this.#options
    const { display, hosts } = this.#around
    const port = await freePort()
    this.#group = startGroup(driverPath, ['--host=127.0.0.1', `--port=${port}`], {
      ...process.env,
      DISPLAY: `:${display}`,
      // The engine's sandbox refuses root, who is all there is in most containers.
      ...(process.getuid?.() === 0 ? { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' } : {}),
    })
    const driver = `http://127.0.0.1:${port}`
    await isUp(driver)
    const app = { profile: this.#profile, proxy: hosts.url, ephemeral, features }
    this.#session = await Session.begin(driver, {
      'webkitgtk:browserOptions': { binary: gjsPath, args: ['-m', APP, JSON.stringify(app)] },
    })
  }

  async newTab(url?: string): Promise<WebKitTab> {
    const session = this.#session
    if (!session) throw new Error('WebKit is not running: it was killed or closed.')
    const tab = new WebKitTab(session, await session.newWindow(), () => this.#tabs.delete(tab))
    this.#tabs.add(tab)
    if (url) await tab.open(url)
    return tab
  }

  async kill(): Promise<void> {
    await this.#group?.kill()
    this.#group = undefined
    this.#session = undefined
    this.#tabs.clear()
  }

  async close(): Promise<void> {
    await this.kill()
    await this.#around.screen.kill()
    this.#around.hosts.close()
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10 })
  }
}

async function isUp(driver: string): Promise<void> {
  while (!(await fetch(`${driver}/status`).catch(() => undefined))) await pause(LOOK_AGAIN_MS)
}

/** WebKitWebDriver has to be told its port. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
