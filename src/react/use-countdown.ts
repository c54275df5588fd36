'use client'

import { useMemo, useSyncExternalStore } from 'react'
import type { Snapshot } from '../lifecycle.ts'
import { remainingMs } from '../remaining.ts'

const SECOND_MS = 1_000

/**
 * Whole seconds until the next attempt, from 1; undefined when it is due and where the clock does not decide it. Show it
 * beside the status, not in it: a screen reader would say every second.
 *
 * @example
 * const seconds = useCountdown(order.snapshot)
 * return seconds && <span aria-hidden="true">again in {seconds} s</span>
 */
export function useCountdown(snapshot: Snapshot<unknown>): number | undefined {
  const { subscribe, look } = useMemo(() => createCountdown(snapshot), [snapshot])
  return useSyncExternalStore(subscribe, look, nothing)
}

function createCountdown(snapshot: Snapshot<unknown>) {
  let leftMs = remainingMs(snapshot)
  return {
    look: () => (leftMs ? Math.ceil(leftMs / SECOND_MS) : undefined),
    subscribe(changed: () => void) {
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

/** What a server shows. */
function nothing(): undefined {}
