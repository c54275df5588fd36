import type { Point } from './agenda.ts'

/**
 * Chooses what goes on next: an index into `ready`, or `ready.length` to let time pass first (only where `mayWait`
 * says that something is due later). Not asked where there is no choice.
 */
export type Pick = (ready: readonly Point[], mayWait: boolean) => number

/** What a pick chose, out of how many that were ready. */
export interface Choice {
  readonly taken: number
  readonly of: number
}

/** The oldest first, and time moves only when nothing else can. */
export const inOrder: Pick = () => 0

/** One in so many choices lets time pass. Rare, because the next thing due may be the end of an attempt. */
const WAIT_ONE_IN = 64

/** Any order, the same one for the same seed. */
export function seeded(seed: number, waitOneIn: number = WAIT_ONE_IN): Pick {
  const random = randomFrom(seed)
  return (ready, mayWait) =>
    mayWait && random() * waitOneIn < 1 ? ready.length : Math.floor(random() * ready.length)
}

/** Follows a list of choices, such as another world's, and goes on in order where it ends. Any numbers will do. */
export function scripted(script: readonly number[]): Pick {
  let step = 0
  return (ready, mayWait) => (script[step++] ?? 0) % (ready.length + (mayWait ? 1 : 0))
}

/**
 * The script after the one that led to these choices, or undefined after the last: beginning with none, every order of
 * a run is seen once.
 */
export function nextScript(choices: readonly Choice[]): readonly number[] | undefined {
  const turn = choices.findLastIndex(({ taken, of }) => taken + 1 < of)
  if (turn < 0) return undefined
  return choices.slice(0, turn + 1).map(({ taken }, at) => (at === turn ? taken + 1 : taken))
}

/** From 0 up to 1, the same for the same seed: mulberry32, by Tommy Ettinger. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
