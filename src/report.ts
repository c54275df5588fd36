/**
 * Does what is the app's own. As an event listener's, its error is reported, and of no consequence for what is going on:
 * undefined comes of it.
 */
export function reporting<R>(work: () => R): R | undefined {
  try {
    return work()
  } catch (cause) {
    queueMicrotask(() => {
      throw cause
    })
    return undefined
  }
}
