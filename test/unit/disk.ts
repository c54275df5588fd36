import type { OperationStore } from 'sendonce'

/** A disk that fails when it is told to. */
export interface BreakableDisk {
  readonly store: OperationStore
  failsOnce(): void
  /** Until `works`. */
  fails(): void
  works(): void
}

export function breakableDisk(store: OperationStore): BreakableDisk {
  let failures = 0
  const denied = async <R>(work: () => Promise<R>): Promise<R> => {
    if (failures === 0) return work()
    failures -= 1
    throw new DOMException('No room left.', 'QuotaExceededError')
  }
  return {
    store: {
      ...store,
      change: (...asked) => denied(() => store.change(...asked)),
      list: (...asked) => denied(() => store.list(...asked)),
    },
    failsOnce() {
      failures = 1
    },
    fails() {
      failures = Number.POSITIVE_INFINITY
    },
    works() {
      failures = 0
    },
  }
}
