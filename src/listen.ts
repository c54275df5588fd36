import type { Stop } from './platform.ts'

/** Calls back when `target` says `type`, until it is stopped; nothing where there is no such target. */
export function listen(
  target: EventTarget | undefined,
  type: string,
  hear: (event: Event) => void,
): Stop {
  target?.addEventListener(type, hear)
  return () => target?.removeEventListener(type, hear)
}
