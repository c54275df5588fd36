import { listen } from './listen.ts'
import type { Platform, Stop } from './platform.ts'
import { MAX_TIMER_MS } from './platform.ts'

/** What may end a wait early. */
export interface Wakers {
  readonly signal: AbortSignal
  /** `online` and coming on screen end it. */
  readonly hurry: boolean
  /** Calls back when another tab has moved the operation. */
  readonly onNews: (wake: () => void) => Stop
}

/**
 * Waits `ms` milliseconds at most; everything it listened to is let go of when it ends. Resolves with whether the network
 * or the person returned, and not when its time has come, another tab has done something, or it was stopped.
 */
export function wait(platform: Platform, ms: number, wakers: Wakers): Promise<boolean> {
  const { signal, hurry, onNews } = wakers
  return new Promise(resolve => {
    if (signal.aborted) return resolve(false)
    const until = platform.now() + ms
    const stops: Stop[] = []
    const wake = (hurried: boolean) => {
      for (const stop of stops) stop()
      resolve(hurried)
    }
    const end = () => wake(false)
    // Timers of a hidden page, or of a laptop that slept, are late: whoever looks finds what is due done.
    const look = () => {
      if (hurry || platform.now() >= until) wake(hurry)
    }
    stops.push(
      listen(signal, 'abort', end),
      platform.timer(Math.min(ms, MAX_TIMER_MS), end),
      platform.on('visible', look),
      platform.on('show', look),
      onNews(end),
    )
    if (hurry) stops.push(platform.on('online', look))
  })
}
