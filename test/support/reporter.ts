import process from 'node:process'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends the run with one line, `N passed, N failed` (and `, N skipped` if any are), that is there however the run ended.
 * What fails outside a test (a file that does not load, a hook of a suite, an unhandled error) counts as one failure
 * each, and a run that executed no test fails.
 */
export class ClosingLine implements Reporter {
  #counts = { passed: 0, failed: 0, skipped: 0 }

  onInit(): void {
    // In `exit`, because Vitest itself still prints after its last report; nothing is printed after this.
    process.once('exit', code => {
      const { passed, skipped } = this.#counts
      let { failed } = this.#counts
      if (passed + failed === 0) process.exitCode = 1
      if (code !== 0 && failed === 0) failed = 1
      process.stdout.write(
        `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
      )
    })
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    this.#counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
    for (const module of modules) {
      this.#counts.failed += module.errors().length
      for (const suite of module.children.allSuites()) this.#counts.failed += suite.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        // Pending: the run was interrupted before it.
        this.#counts[state === 'pending' ? 'skipped' : state]++
      }
    }
  }
}
