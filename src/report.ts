/** As an event listener's: an app's own error is reported, and of no consequence for what is going on. */
export function report(cause: unknown): void {
  queueMicrotask(() => {
    throw cause
  })
}
