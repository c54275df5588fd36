/** Pictures of what is new need not be more. */
const LEAST_BETWEEN_MS = 100

/**
 * Runs `work` soon, once, however often it is asked for: a burst of news is one drawing. By a timer, since a hidden page
 * gets no frames and is looked at later.
 */
export function onceInAWhile(work: () => void): () => void {
  let asked = false
  let ranAt = 0
  const run = () => {
    asked = false
    ranAt = performance.now()
    work()
  }
  return () => {
    if (asked) return
    asked = true
    setTimeout(run, Math.max(0, ranAt + LEAST_BETWEEN_MS - performance.now()))
  }
}
