import type { Key, Repeat } from './driver.ts'

/** What WebDriver and WebDriver BiDi both call it: https://www.w3.org/TR/webdriver2/#actions */
export interface ActionSource {
  readonly type: 'pointer' | 'key'
  readonly id: string
  readonly parameters?: { readonly pointerType: 'mouse' }
  readonly actions: readonly Action[]
}

type Action =
  | { readonly type: 'pointerMove'; readonly x: number; readonly y: number }
  | { readonly type: 'pointerDown' | 'pointerUp'; readonly button: 0 }
  | { readonly type: 'keyDown' | 'keyUp'; readonly value: string }
  | { readonly type: 'pause'; readonly duration: number }

/** https://www.w3.org/TR/webdriver2/#keyboard-actions */
const KEYS = { Enter: '\uE007', Space: ' ', Tab: '\uE004', Escape: '\uE00C' } as const

/** Pages see time in whole milliseconds, in Firefox and in WebKit: two readings, two steps. */
const PAGE_CLOCK_GRAIN_MS = 2

/** All clicks are one command: the browser itself keeps the gap, and knows a double click by it. */
export function clicks(
  at: { readonly x: number; readonly y: number },
  times?: Repeat,
): ActionSource {
  const move = { type: 'pointerMove', x: Math.round(at.x), y: Math.round(at.y) } as const
  const click = [
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ] as const
  return {
    type: 'pointer',
    id: 'mouse',
    parameters: { pointerType: 'mouse' },
    actions: [move, ...repeat(click, times)],
  }
}

export function presses(key: Key, times?: Repeat): ActionSource {
  return { type: 'key', id: 'keyboard', actions: repeat(strokeOf(KEYS[key]), times) }
}

export function keystrokes(text: string): ActionSource {
  return { type: 'key', id: 'keyboard', actions: [...text].flatMap(strokeOf) }
}

function strokeOf(value: string): readonly Action[] {
  return [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ]
}

function repeat(
  actions: readonly Action[],
  { times = 1, gapMs = 0 }: Repeat = {},
): readonly Action[] {
  const gap: Action[] = gapMs > 0 ? [{ type: 'pause', duration: gapMs + PAGE_CLOCK_GRAIN_MS }] : []
  return Array.from({ length: times }, (_, n) => (n > 0 ? [...gap, ...actions] : actions)).flat()
}
