/** So many times more in the long run. */
const LONG = process.env.LONG ? 50 : 1

/** For `fc.assert`: the same values in every short run, fresh ones in the long run; `SEED` repeats what a failure names. */
export function fuzz(runs: number): { readonly numRuns: number; readonly seed: number } {
  const seed = Number(process.env.SEED ?? (process.env.LONG ? Date.now() : 1))
  return { numRuns: runs * LONG, seed }
}

/** For a file of these: the long run has so many times more to do, and the short one a machine that is busy. */
export const FUZZ_TIMEOUT_MS: number = 60_000 * LONG
