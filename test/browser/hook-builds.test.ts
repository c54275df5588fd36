import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import type { Listening, MockServer } from 'sendonce/testing'
import { createMockServer, listen } from 'sendonce/testing'
import type { InlineConfig } from 'vite'
import { build, createServer as createVite } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { namesIn } from '../../names.ts'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { onNewOrigin } from './driver/new-origin.ts'
import { oneChromium } from './driver/one-chromium.ts'
import { heldAnswers } from './held-lab.ts'
import { fill, hasGone, idle, shows, told, typed } from './hook-page.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const root = here('./pages')

const sendonce = namesIn('dist')
const react18 = [
  { find: /^react(?=\/|$)/, replacement: 'react18' },
  { find: /^react-dom(?=\/|$)/, replacement: 'react-dom18' },
]

/** Where the page `hook` is to be found while a test runs, and how it ends. */
interface Served {
  readonly origin: string
  close(): Promise<unknown>
}

async function serveBuilt(server: MockServer, name: string, config: InlineConfig): Promise<Served> {
  const outDir = here(`../.out/hook-${name}`)
  await build({
    configFile: false,
    root,
    base: './',
    logLevel: 'error',
    ...config,
    build: {
      outDir,
      emptyOutDir: true,
      modulePreload: false,
      rolldownOptions: { input: `${root}/hook.html` },
    },
  })
  return listen(server, { static: { '/': outDir } })
}

/** Vite's own server, as `npm run dev` of an app starts it; what is not a page goes to the mock server. */
async function serveDev(server: MockServer): Promise<Served> {
  const api: Listening = await listen(server)
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const vite = await createVite({
    configFile: false,
    root,
    logLevel: 'error',
    cacheDir: here('../.out/hook-dev'),
    plugins: [react()],
    resolve: { alias: sendonce },
    // The page is asked for once more if a dependency is found late: none is.
    optimizeDeps: {
      entries: ['hook.html'],
      include: ['react', 'react/jsx-dev-runtime', 'react-dom/client', 'react-dom/server'],
    },
    server: {
      middlewareMode: true,
      hmr: { server: http },
      proxy: { '/api': api.origin },
      fs: { allow: [here('../..')] },
    },
  })
  http.on('request', vite.middlewares)
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      await vite.close()
      http.closeAllConnections()
      http.close()
      await api.close()
    },
  }
}

const development = { 'process.env.NODE_ENV': '"development"' }

/** `version`: how that of React begins. */
const WORLDS: readonly {
  readonly world: string
  readonly version: string
  readonly serve: (server: MockServer) => Promise<Served>
}[] = [
  {
    world: 'React 18',
    version: '18.',
    serve: server =>
      serveBuilt(server, 'react18', {
        mode: 'development',
        define: development,
        resolve: { alias: [...sendonce, ...react18] },
      }),
  },
  {
    world: 'React 18, built for production',
    version: '18.',
    serve: server =>
      serveBuilt(server, 'react18-production', { resolve: { alias: [...sendonce, ...react18] } }),
  },
  {
    world: 'React 19, built for production',
    version: '19.',
    serve: server => serveBuilt(server, 'production', { resolve: { alias: sendonce } }),
  },
  { world: "React 19 on Vite's dev server", version: '19.', serve: serveDev },
]

describe.each(WORLDS)('with $world', ({ version, serve }) => {
  const browser = oneChromium()
  const { options, hold, answer } = heldAnswers()
  const server = createMockServer(options)
  let served: Served

  beforeAll(async () => {
    served = await onNewOrigin(() => serve(server))
  })
  afterEach(() => {
    server.reset()
  })
  afterAll(() => served?.close())

  /** Each test has an operation of its own: what is stored outlives it. */
  let operations = 0
  async function openPage(settings: Readonly<Record<string, string>> = {}): Promise<ChromiumTab> {
    operations += 1
    const query = new URLSearchParams({ operation: `checkout:${operations}`, ...settings })
    const tab = await browser().newTab(`${served.origin}/hook.html?${query}`)
    await tab.waitFor(() => document.querySelector('form') !== null)
    expect(await tab.evaluate(() => window.hook.react)).toMatch(version)
    return tab
  }
  const arrivals = () => server.log({ path: '/api/orders' })
  /** Resolves when something happens at the server. */
  const somethingHappens = () =>
    new Promise<void>(resolve => {
      const stop = server.subscribe(() => {
        stop()
        resolve()
      })
    })

  it('sends a double click once, and tells it once', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.click('button', { times: 2, gapMs: 50 })
    await tab.waitFor(() => window.hook.afterSubmit.length === 2)
    await shows(tab, 'succeeded')
    await idle(tab)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(server.ledger()).toHaveLength(1)
  })

  it('is submitting from the submit event on, in a transition too', async () => {
    const tab = await openPage({ form: 'transition' })
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(await tab.evaluate(() => window.hook.afterSubmit)).toEqual([true])
  })

  it.each(['gone', 'suspended'] as const)(
    'hears of the outcome that came while the form was %s',
    async place => {
      const tab = await openPage()
      await fill(tab)
      hold(server)
      await tab.click('button')
      while (arrivals().length === 0) await somethingHappens()
      await tab.evaluate(place => window.hook.place(place), place)
      await hasGone(tab)
      await answer()
      await tab.waitFor(() => window.hook.told.length === 1)
      await tab.evaluate(() => window.hook.place('shown'))
      await shows(tab, 'succeeded')
      expect(await told(tab)).toEqual(['first: onSuccess order-1'])
      expect(server.ledger()).toHaveLength(1)
    },
  )

  it('hydrates what a server rendered, finds what is unsettled, and goes on with it', async () => {
    const tab = await openPage({ hydrate: '' })
    await fill(tab)
    server.next('hang-after-effect')
    await tab.click('button')
    await tab.waitFor(() => window.hook.order.snapshot.state === 'sending')
    while (arrivals().length === 0) await somethingHappens()
    await tab.reload()
    await shows(tab, 'unknown: interrupted')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(new Set(arrivals().map(({ key }) => key)).size).toBe(1)
    expect(server.ledger()).toHaveLength(1)
    expect(tab.takeErrors()).toEqual([])
  })
})
