import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { namesIn } from './names.ts'
import { EnginesTable } from './test/engines/table.ts'
import { ClosingLine } from './test/support/reporter.ts'

/** The public names, read from the source; the browser tests and `test/dist` run on the build instead. */
const resolve = { alias: namesIn('src') }

/** What `npm test` leaves to `npm run test:wide`, in the crash laboratory, */
const DEEP = [
  'test/crash/{model,presets,random-presets,random-elsewhere,model-presets}.test.ts',
  'test/mutants/mutants.test.ts',
]
/** and in a browser: whole pages, real back ends behind them, and what is long for what it shows. */
const WIDE = [
  'test/browser/{form*,hook*,playground*}.test.ts',
  'test/browser/{abort,dead-tab,discard,driver,frozen-tab,kills,offline,plain-http,scale}.test.ts',
  'test/browser/{session-refresh,sign-out,storage}.test.ts',
  'test/interop/browser/*.test.ts',
]

/** Two at least: by default one core would be left for a person to work on. */
const WORKERS = Math.max(2, availableParallelism())

export default defineConfig(({ mode }) => {
  const long = mode === 'long'
  const minutes = (count: number) => count * 60_000 * (long ? 20 : 1)
  const inBrowser = (name: string, files: { include: string[]; exclude?: string[] }) => ({
    extends: true as const,
    test: {
      name,
      ...files,
      globalSetup: './test/browser/setup.ts',
      // Each process has one browser, for all of its files.
      isolate: false,
      // After all other projects, and no more at once than there are cores: these tests are about time.
      maxWorkers: 2,
      sequence: { groupOrder: 2 },
      testTimeout: minutes(1),
      hookTimeout: minutes(1),
    },
  })
  return {
    test: {
      reporters: ['default', new EnginesTable(), new ClosingLine()],
      env: long ? { LONG: '1' } : {},
      projects: [
        {
          extends: true,
          resolve,
          // What a test changes of the globals it puts back: a module world for each file takes three times as long.
          test: {
            name: 'unit',
            include: ['test/unit/**/*.test.{ts,tsx}'],
            isolate: false,
            maxWorkers: WORKERS,
            testTimeout: minutes(1),
          },
        },
        {
          extends: true,
          resolve,
          test: {
            name: 'crash',
            include: ['test/crash/*.test.ts'],
            exclude: DEEP,
            isolate: false,
            maxWorkers: WORKERS,
            testTimeout: minutes(2),
          },
        },
        {
          extends: true,
          resolve,
          test: {
            name: 'deep',
            include: DEEP,
            isolate: false,
            maxWorkers: WORKERS,
            testTimeout: minutes(2),
          },
        },
        {
          extends: true,
          test: {
            name: 'dist',
            include: ['test/dist/**/*.test.ts'],
            maxWorkers: WORKERS,
            testTimeout: minutes(1),
          },
        },
        {
          extends: true,
          resolve,
          test: {
            name: 'interop',
            include: ['test/interop/*.test.ts'],
            globalSetup: './test/interop/setup.ts',
            // Processes are started and killed here: nothing else may run beside them.
            maxWorkers: 2,
            sequence: { groupOrder: 1 },
            testTimeout: minutes(1),
            hookTimeout: minutes(1),
          },
        },
        inBrowser('browser', {
          include: ['test/browser/*.test.ts'],
          exclude: WIDE,
        }),
        inBrowser('wide', { include: WIDE }),
        {
          extends: true,
          // The recipes are no part of the package: its name is nothing that they could find by themselves.
          resolve: { alias: namesIn('dist') },
          test: {
            name: 'recipes',
            include: ['test/recipes/*.test.ts'],
            globalSetup: './test/recipes/lab/setup.ts',
            maxWorkers: 2,
            sequence: { groupOrder: 2 },
            testTimeout: minutes(1),
            hookTimeout: minutes(1),
          },
        },
        {
          extends: true,
          test: {
            name: 'engines',
            include: ['test/engines/*.test.ts'],
            globalSetup: './test/engines/setup.ts',
            // One browser at a time: under another one's load Firefox now and then drops a click.
            maxWorkers: 1,
            sequence: { groupOrder: 3 },
            testTimeout: minutes(1),
            hookTimeout: minutes(1),
          },
        },
      ],
    },
  }
})
