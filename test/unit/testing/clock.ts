/** The server's clock in the hands of a test: timers fire when `advance` passes them, and never by themselves. */
export interface Clock {
  now(): number
  timer(ms: number, run: () => void): () => void
  /** Resolves when somebody waits, or so many do. */
  waitedFor(count?: number): Promise<void>
  advance(ms: number): void
}

export function fakeClock(): Clock {
  let time = 0
  const timers = new Set<{ at: number; run: () => void }>()
  let hear = () => {}
  return {
    now: () => time,
    timer(ms, run) {
      const timer = { at: time + ms, run }
      timers.add(timer)
      hear()
      return () => timers.delete(timer)
    },
    waitedFor: (count = 1) =>
      new Promise(resolve => {
        hear = () => {
          if (timers.size >= count) resolve()
        }
        hear()
      }),
    advance(ms) {
      time += ms
      for (const timer of [...timers].filter(({ at }) => at <= time)) {
        timers.delete(timer)
        timer.run()
      }
    },
  }
}
