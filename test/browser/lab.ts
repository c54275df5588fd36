import type { Listening, ListenOptions, MockServer, MockServerOptions } from 'sendonce/testing'
import { createMockServer, listen } from 'sendonce/testing'
import { afterEach, beforeEach, inject } from 'vitest'
import type { ChromiumBrowser } from './driver/chromium-only.ts'
import type { Browser, Tab } from './driver/driver.ts'
import { limited } from './driver/limited.ts'
import { onNewOrigin } from './driver/new-origin.ts'
import { oneChromium } from './driver/one-chromium.ts'
import type { Told } from './pages/lab.ts'

/** Where the page `lab` orders. */
const ORDERS = '/api/orders'

export interface LabOptions extends Pick<ListenOptions, 'cors'> {
  readonly server?: MockServerOptions
}

/** A server of its own for each test, and pages of the origin that it makes: nothing is stored there before. */
export class Lab<B extends Browser = ChromiumBrowser> {
  readonly server: MockServer
  readonly browser: B
  readonly #listening: Listening

  constructor(server: MockServer, browser: B, listening: Listening) {
    this.server = server
    this.browser = browser
    this.#listening = listening
  }

  /** The page `lab`; a host that ends in `.test` is an origin without Web Locks. */
  url(host = '127.0.0.1'): string {
    return `http://${host}:${this.#listening.port}/lab.html`
  }

  /** A tab in front, at the page `lab`, that has no client yet. */
  newTab(host?: string): ReturnType<B['newTab']> {
    return this.browser.newTab(this.url(host)) as ReturnType<B['newTab']>
  }

  /** What was really ordered. */
  orders(): ReturnType<MockServer['ledger']> {
    return this.server.ledger({ path: ORDERS })
  }

  /** What arrived. */
  arrivals(): ReturnType<MockServer['log']> {
    return this.server.log({ path: ORDERS })
  }

  /** The different keys that arrived. */
  keys(): readonly (string | undefined)[] {
    return [...new Set(this.arrivals().map(({ key }) => key))]
  }

  /** The different bodies that arrived whole, by their digest. */
  bodies(): readonly (string | undefined)[] {
    return [...new Set(this.arrivals().flatMap(({ bodyDigest }) => bodyDigest ?? []))]
  }

  /** Resolves when so many requests have arrived. */
  async arrived(count: number): Promise<void> {
    if (this.arrivals().length >= count) return
    const arriving = new Promise<void>(resolve => {
      const stop = this.server.subscribe(() => {
        if (this.arrivals().length < count) return
        stop()
        resolve()
      })
    })
    const what = () => `${count} requests, of which there came ${JSON.stringify(this.server.log())}`
    await limited(arriving, what)
  }

  async close(): Promise<void> {
    this.server.release()
    await this.#listening.close()
  }
}

/** The laboratory of a file's tests: call it once, at the top, and the returned function in the tests. */
export function oneLab(options?: LabOptions): () => Lab {
  return labIn(oneChromium, options)
}

/** The same in another browser. */
export function labIn<B extends Browser>(
  oneBrowser: () => () => B,
  { server = {}, cors = false }: LabOptions = {},
): () => Lab<B> {
  let lab: Lab<B>
  // Registered before the tabs are, and so done after they are closed.
  afterEach(() => lab.close())
  const browser = oneBrowser()

  beforeEach(async () => {
    const mock = createMockServer(server)
    const options = { static: { '/': inject('pages') }, cors }
    const listening = await onNewOrigin(() => listen(mock, options))
    lab = new Lab(mock, browser(), listening)
  })

  return () => lab
}

/** How the first submit or resume of a page ended, as soon as it has. */
export function ended(tab: Tab): Promise<Told> {
  return tab.waitFor(() => window.lab.told[0] as Told)
}
