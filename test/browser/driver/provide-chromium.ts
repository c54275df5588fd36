import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'
import { ensureChromium } from '../../support/chromium.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The path of Chromium. */
    readonly chromium: string
    /** The folder for its profiles. */
    readonly profiles: string
  }
}

/** How long a browser that is ending may write nothing and not be at its end. */
const STILL_MS = 500

/** Once per run: what `oneChromium` needs. Call what it returns when the run is over: Chromium leaves its profiles behind. */
export async function provideChromium(project: TestProject): Promise<() => Promise<void>> {
  project.provide('chromium', ensureChromium())
  const profiles = await mkdtemp(join(tmpdir(), 'sendonce-profiles-'))
  project.provide('profiles', profiles)
  return async () => {
    // What is just ending makes its folder anew.
    for (; existsSync(profiles); await pause(STILL_MS)) {
      await rm(profiles, { recursive: true, force: true, maxRetries: 10 })
    }
  }
}
