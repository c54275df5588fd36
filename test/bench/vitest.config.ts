import { defineConfig } from 'vitest/config'

/** `npm run bench`: nothing of this is part of `npm test`, whose machine has other things to do. */
export default defineConfig({
  test: {
    include: ['test/bench/*.bench.ts'],
    reporters: ['verbose'],
    disableConsoleIntercept: true,
    fileParallelism: false,
    testTimeout: 30 * 60_000,
    hookTimeout: 60_000,
  },
})
