import { useEffect, useState } from 'react'

/** A countdown in seconds needs no more. */
const TICK_MS = 250

/** The wall clock, ticking only while somebody counts. */
export function useNow(counting: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!counting) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [counting])
  return now
}

/** Whole seconds until then; never "0", for that is now. */
export function secondsUntil(at: number, now: number): number {
  return Math.max(1, Math.ceil((at - now) / 1_000))
}
