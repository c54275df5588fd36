/** How often a sample is drawn again for an interval; more does not move its ends by more than the printed digits. */
const RESAMPLES = 2_000

/** The middle value, p50. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export interface Ratio {
  readonly ratio: number
  /** The 95 % interval: percentile bootstrap. */
  readonly low: number
  readonly high: number
}

/**
 * The ratio of two medians. Runs of the same place were made next to each other in time and are drawn together, so that
 * a machine that is slow for a while is slow for both.
 */
export function ratioOfMedians(above: readonly number[], below: readonly number[]): Ratio {
  const count = Math.min(above.length, below.length)
  const ratios = Array.from({ length: RESAMPLES }, () => {
    const drawn = Array.from({ length: count }, () => Math.floor(Math.random() * count))
    const take = (values: readonly number[]) => drawn.map(at => values[at] ?? Number.NaN)
    return median(take(above)) / median(take(below))
  }).sort((one, other) => one - other)
  const at = (share: number) => ratios[Math.floor(share * (RESAMPLES - 1))] ?? Number.NaN
  return { ratio: median(above) / median(below), low: at(0.025), high: at(0.975) }
}
