/*
 * A token bucket that all operations of a client share, so that an outage is not answered by a storm of retries.
 * Capacity and costs are those of the AWS SDK for JavaScript v3 (@smithy/core 3.41.1, util-retry/constants).
 */
const CAPACITY = 500
const RETRY_COST = 5
const TIMEOUT_COST = 10
/** What a success without a retry gives back. */
const REFILL = 1

export interface Budget {
  /** Whether there is enough for another attempt. */
  affords(afterTimeout: boolean): boolean
  spend(afterTimeout: boolean): void
  /** A success: gives back what its last retry cost, or a little where there was none. */
  earn(afterRetry: boolean): void
}

export function createBudget(): Budget {
  let tokens = CAPACITY
  const cost = (afterTimeout: boolean) => (afterTimeout ? TIMEOUT_COST : RETRY_COST)
  return {
    affords: afterTimeout => cost(afterTimeout) <= tokens,
    spend(afterTimeout) {
      tokens -= cost(afterTimeout)
    },
    earn(afterRetry) {
      tokens = Math.min(CAPACITY, tokens + (afterRetry ? RETRY_COST : REFILL))
    },
  }
}
