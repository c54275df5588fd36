import { listen } from './listen.ts'
import type { Platform, Stop } from './platform.ts'
import { MAX_TIMER_MS } from './platform.ts'

/** Why a wait ended: its time had come, the network or the person returned, another tab did something, it was stopped. */
export type Woken = 'due' | 'hurry' | 'news' | 'stopped'

/** What may end a wait early. */
export interface Wakers {
  readonly signal: AbortSignal
  /** `online` and coming on screen end it. */
  readonly hurry: boolean
  /** Calls back when another tab has moved the operation. */
  readonly onNews: (wake: () => void) => Stop
}

/** Waits `ms` milliseconds at most; everything it listened to is let go of when it ends. */
export function wait(platform: Platform, ms: number, wakers: Wakers): Promise<Woken> {
  const { signal, hurry, onNews } = wakers
  return new Promise(resolve => {
    if (signal.aborted) return resolve('stopped')
    const until = platform.now() + ms
    const stops: Stop[] = []
    const wake = (why: Woken) => {
      for (const stop of stops) stop()
      resolve(why)
    }
    // Timers of a hidden page, or of a laptop that slept, are late: whoever looks finds what is due done.
    const look = () => {
      if (hurry) wake('hurry')
      else if (platform.now() >= until) wake('due')
    }
    stops.push(
      listen(signal, 'abort', () => wake('stopped')),
      platform.timer(Math.min(ms, MAX_TIMER_MS), () => wake('due')),
      platform.on('visible', look),
      platform.on('show', look),
      onNews(() => wake('news')),
    )
    if (hurry) stops.push(platform.on('online', () => wake('hurry')))
  })
}
