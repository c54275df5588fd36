import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { launchChromium } from '../browser/driver/chromium.ts'
import type { ChromiumTab } from '../browser/driver/chromium-only.ts'
import { ensureChromium } from '../support/chromium.ts'
import { startServer } from './server.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A tab of Chromium, with its profile on disk, at a page of test/bench/page as an app would build it. */
export async function openLab(page: string): Promise<{ tab: ChromiumTab; close(): Promise<void> }> {
  const outDir = here(`../.out/bench-${page}`)
  await build({
    configFile: false,
    root: here('./page'),
    base: './',
    logLevel: 'warn',
    resolve: {
      alias: [{ find: /^sendonce$/, replacement: here('../../src/index.ts') }],
    },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input: here(`./page/${page}.html`) },
    },
  })
  const server = await startServer(outDir)
  const browser = await launchChromium({ executablePath: ensureChromium() })
  const tab = await browser.newTab(`${server.origin}/${page}.html`)
  await tab.waitFor(() => ['bench', 'profile', 'scale'].some(name => name in window))
  return {
    tab,
    async close() {
      await browser.close()
      server.close()
    },
  }
}
