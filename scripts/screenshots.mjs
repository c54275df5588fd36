/**
 * Takes pictures of the built playground at three widths, light and dark, to be looked at, into `test/.out/screenshots`;
 * and the one of the README, `docs/images/playground.png`. Run it with `node scripts/screenshots.mjs`.
 */

import { copyFile, mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { launch } from 'puppeteer-core'
import { build, preview, runnerImport } from 'vite'

const WIDTHS = [1440, 768, 320]
const SCHEMES = ['light', 'dark']
/** The case that a picture without words has to tell: a lost reply, pressed again. */
const README = 'ordered-1440-light'

const at = path => fileURLToPath(new URL(`../${path}`, import.meta.url))
const outDir = at('test/.out/screenshots-playground')
const folder = at('test/.out/screenshots')

const sendonce = '.shop[data-shop=sendonce]'
const plain = '.shop[data-shop=plain]'

/** What the page looks like at first, in the middle, after a reload, and at the end. Each goes on where the last ended. */
const MOMENTS = {
  'at-first': page => shows(page, `${sendonce} .primary`, 'Order, €'),
  'under-way': async page => {
    // However long the pictures take.
    await page.click('.check input')
    await shows(page, '.faults .explained', 'until you choose something else')
    await page.click(`${sendonce} .primary`)
    await page.click(`${plain} .primary`)
    await shows(page, `${plain} [role=status]`, 'Something went wrong')
    await shows(page, `${sendonce} .primary`, 'Sending again in')
  },
  'after-a-reload': async page => {
    await page.reload()
    await shows(page, '.notice', 'We don’t know yet')
  },
  'sent-again': async page => {
    await page.click('.chip input[value=behave]')
    await shows(page, '.faults .explained', 'Every request arrives')
    await page.click('.notice .primary')
    await page.click(`${plain} .primary`)
    await shows(page, `${plain} [role=status]`, 'It is ordered')
    await shows(page, '.notice', 'went through, once')
  },
  ordered: async page => {
    await page.click('.notice .primary')
    await shows(page, '.total[data-shop=plain] .count', '2')
  },
}

function shows(page, selector, text) {
  return page.waitForFunction(
    (selector, text) => document.querySelector(selector)?.textContent.includes(text),
    { polling: 50 },
    selector,
    text,
  )
}

const configFile = at('vite.config.ts')
const { module } = await runnerImport(at('test/support/chromium.ts'))
await build({ configFile, logLevel: 'warn', build: { outDir, reportCompressedSize: false } })
const server = await preview({ configFile, build: { outDir }, preview: { port: 0 } })
const browser = await launch({
  executablePath: module.ensureChromium(),
  args: ['--hide-scrollbars', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  pipe: true,
})
try {
  await mkdir(folder, { recursive: true })
  await mkdir(at('docs/images'), { recursive: true })
  const page = await browser.newPage()
  await page.setViewport({ width: WIDTHS[0], height: 900 })
  await page.goto(server.resolvedUrls.local[0])
  for (const [name, reach] of Object.entries(MOMENTS)) {
    await reach(page)
    for (const scheme of SCHEMES) {
      await page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: scheme },
        { name: 'prefers-reduced-motion', value: 'reduce' },
      ])
      for (const width of WIDTHS) {
        await page.setViewport({ width, height: 900, deviceScaleFactor: width < 1440 ? 2 : 1.5 })
        await page.screenshot({ path: `${folder}/${name}-${width}-${scheme}.png`, fullPage: true })
      }
    }
    await page.setViewport({ width: WIDTHS[0], height: 900 })
  }
  await copyFile(`${folder}/${README}.png`, at('docs/images/playground.png'))
} finally {
  await browser.close()
  await server.close()
}
