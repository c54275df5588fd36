'use client'

import { useMemo, useSyncExternalStore } from 'react'
import { createCountdown } from '../countdown.ts'
import type { Snapshot } from '../lifecycle.ts'

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

/** What a server shows. */
function nothing(): undefined {}
