import { deferred } from './deferred.ts'
import { listen } from './listen.ts'
import type { Platform } from './platform.ts'

/** Rejects with `message` unless `work` settles within `ms` milliseconds, and as soon as the signal says so. */
export function inTime<T>(
  work: T | Promise<T>,
  ms: number,
  message: string,
  platform: Pick<Platform, 'timer'>,
  signal?: AbortSignal,
): Promise<T> {
  const late = deferred<never>()
  const end = () => late.reject(new DOMException(message, 'TimeoutError'))
  // One more task: a page that was busy finds what settles the work and the limit due together, and the work counts.
  const stopTimer = platform.timer(ms, () => platform.timer(0, end))
  const stopListening = listen(signal, 'abort', end)
  return Promise.race([work, late.promise]).finally(() => {
    stopTimer()
    stopListening()
  })
}
