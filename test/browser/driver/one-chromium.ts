import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { launchChromium } from './chromium.ts'
import type { ChromiumBrowser } from './chromium-only.ts'

/**
 * One Chromium for the tests of a file: call it once, at the top, and the returned function in the tests. After each
 * test its tabs are closed, and it fails if one of them has errors that the test has not taken (`takeErrors`).
 */
export function oneChromium(...flags: readonly string[]): () => ChromiumBrowser {
  let browser: ChromiumBrowser

  beforeAll(async () => {
    browser = await launchChromium({ executablePath: inject('chromium'), flags })
  })

  afterEach(async () => {
    const errors = browser.tabs.flatMap(tab => tab.takeErrors())
    await Promise.all(browser.tabs.map(tab => tab.close()))
    expect(errors, 'errors in the console').toEqual([])
  })

  afterAll(() => browser?.close())

  return () => browser
}
