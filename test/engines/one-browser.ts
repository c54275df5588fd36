import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Browser } from '../browser/driver/driver.ts'
import type { Engine } from './installed.ts'
import type { Storage } from './launch.ts'
import { launch } from './launch.ts'

/**
 * One browser for the tests around: the returned function gives it to them. After each test its tabs are closed, and it
 * fails if one of them has errors that the test has not taken (`takeErrors`).
 */
export function oneBrowser(engine: Engine, storage?: Storage): () => Browser {
  let browser: Browser

  beforeAll(async () => {
    browser = await launch(engine, storage)
  })

  afterEach(async () => {
    const errors: string[] = []
    for (const tab of browser.tabs) {
      // WebKit tells its errors with an answer only.
      await tab.evaluate(() => {})
      errors.push(...tab.takeErrors())
      await tab.close()
    }
    expect(errors, 'errors in the console').toEqual([])
  })

  afterAll(() => browser?.close())

  return () => browser
}
