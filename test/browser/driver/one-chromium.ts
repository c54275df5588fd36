import { afterEach, beforeAll, expect, inject } from 'vitest'
import { launchChromium } from './chromium.ts'
import type { ChromiumBrowser } from './chromium-only.ts'

/** A start takes longer than many a test, and a project that is not isolated runs many files in one process. */
let launching: Promise<ChromiumBrowser> | undefined

/**
 * A Chromium for the tests of a file, shared with other files: call it once, at the top, and the returned function in the
 * tests. After each test its tabs are closed, and it fails if one of them has errors that the test has not taken
 * (`takeErrors`). It ends with the process.
 */
export function oneChromium(): () => ChromiumBrowser {
  let browser: ChromiumBrowser

  beforeAll(async () => {
    launching ??= launchChromium({
      executablePath: inject('chromium'),
      profiles: inject('profiles'),
    })
    browser = await launching
    await browser.clearCookies()
  })

  afterEach(async () => {
    const errors = browser.tabs.flatMap(tab => tab.takeErrors())
    await Promise.all(browser.tabs.map(tab => tab.close()))
    expect(errors, 'errors in the console').toEqual([])
  })

  return () => browser
}
