/** What random runs begin with: `SEED`, else always the same in short runs, and a fresh one in long runs. */
export function seedOf(): number {
  return Number(process.env.SEED ?? (process.env.LONG ? Date.now() : 1))
}

/** A seed of its own for each of several runs that begin with one. */
export function seedFor(what: string, seed: number): number {
  return [...what].reduce((mixed, letter) => Math.imul(mixed, 31) + letter.charCodeAt(0), seed) | 0
}
