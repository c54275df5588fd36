import type { Snapshot } from './lifecycle.ts'
import { remainingMs } from './remaining.ts'

const SECOND_MS = 1_000

/** Whole seconds until the next attempt, as they go by. */
export interface Countdown {
  /** From 1; undefined when it is due and where the clock does not decide it. */
  look(): number | undefined
  /** Calls back at once, and with every second that has gone by. Returns its own stop. */
  subscribe(changed: () => void): () => void
}

export function createCountdown(snapshot: Snapshot<unknown>): Countdown {
  let leftMs = remainingMs(snapshot)
  return {
    look: () => (leftMs ? Math.ceil(leftMs / SECOND_MS) : undefined),
    subscribe(changed) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const tick = () => {
        leftMs = remainingMs(snapshot)
        if (leftMs) timer = setTimeout(tick, leftMs % SECOND_MS || SECOND_MS)
        changed()
      }
      tick()
      return () => clearTimeout(timer)
    },
  }
}
