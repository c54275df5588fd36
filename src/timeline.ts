import type { SendonceEvent } from './events.ts'

/** What happened to one operation, oldest first: what a picture or a log of it is made of. */
export interface Lane<E extends SendonceEvent = SendonceEvent> {
  /** The name that the app gave it. */
  readonly operation: string
  /** When it was first heard of, wall clock, in milliseconds since 1970. */
  readonly startedAt: number
  /** Its attempts and what happened between them, by their times. */
  readonly steps: readonly LaneStep<E>[]
  /** What was heard of it last: how things are now. */
  readonly latest: E
}

/**
 * An attempt, `sent` `at` that time (wall clock, milliseconds since 1970) and `ended` by an answer or by none so far; or any
 * other `event` between attempts.
 */
export type LaneStep<E extends SendonceEvent = SendonceEvent> =
  | { readonly is: 'attempt'; readonly at: number; readonly sent: E; readonly ended: E | undefined }
  | { readonly is: 'event'; readonly at: number; readonly event: E }

/** How much a timeline keeps. */
export interface TimelineOptions {
  /** Beyond this many the operation that was heard of first is dropped. @default 500 */
  readonly maxOperations?: number
  /** Beyond this many the oldest step of an operation is dropped. @default 200 */
  readonly maxSteps?: number
}

/** A picture of what is sent and what comes back, one lane for each operation. */
export interface Timeline<E extends SendonceEvent = SendonceEvent> {
  /** For `onEvent`. Takes events of other tabs as well, late or early: each finds its place by its time. */
  readonly hear: (event: E) => void
  /** The lanes in the order in which they were heard of first. The same array, and the same lanes in it, until something changes. */
  readonly getSnapshot: () => readonly Lane<E>[]
  /** Returns its own stop. */
  readonly subscribe: (listener: () => void) => () => void
}

/** As many as a page can show, and few enough that one left open for a week does not grow. */
const MAX_OPERATIONS = 500
const MAX_STEPS = 200

/**
 * Puts the events of a client in order. It hears of them from the very first, so it is made before the client and costs
 * an app without one nothing. Events may carry more than the client says (`createTimeline<SendonceEvent & { tab: string }>()`).
 *
 * @example
 * const timeline = createTimeline()
 * const api = createClient({ scope: 'ada', onEvent: timeline.hear })
 * timeline.subscribe(() => draw(timeline.getSnapshot()))
 */
export function createTimeline<E extends SendonceEvent = SendonceEvent>(
  options: TimelineOptions = {},
): Timeline<E> {
  const { maxOperations = MAX_OPERATIONS, maxSteps = MAX_STEPS } = options
  const lanes = new Map<string, Lane<E>>()
  const listeners = new Set<() => void>()
  let snapshot: readonly Lane<E>[] | undefined = []

  return {
    hear(event) {
      const { operation } = event
      const lane = lanes.get(operation)
      lanes.set(operation, lane ? longer(lane, event, maxSteps) : begun(event))
      const [oldest] = lanes.keys()
      if (lanes.size > maxOperations && oldest !== undefined) lanes.delete(oldest)
      snapshot = undefined
      for (const listener of [...listeners]) listener()
    },
    getSnapshot() {
      snapshot ??= [...lanes.values()]
      return snapshot
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function begun<E extends SendonceEvent>(event: E): Lane<E> {
  const { operation, at } = event
  return { operation, startedAt: at, steps: [stepOf(event)], latest: event }
}

function longer<E extends SendonceEvent>(lane: Lane<E>, event: E, maxSteps: number): Lane<E> {
  const { steps, latest } = lane
  return {
    ...lane,
    startedAt: Math.min(lane.startedAt, event.at),
    latest: event.at >= latest.at ? event : latest,
    steps: (answered(steps, event) ?? placed(steps, stepOf(event))).slice(-maxSteps),
  }
}

/** With the answer at the attempt that it belongs to. Its number counts on for as long as its key lives, in all tabs. */
function answered<E extends SendonceEvent>(
  steps: readonly LaneStep<E>[],
  event: E,
): readonly LaneStep<E>[] | undefined {
  if (event.type !== 'answered' && event.type !== 'unanswered') return undefined
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index]
    if (step?.is !== 'attempt') continue
    const { sent } = step
    if (sent.keyTail !== event.keyTail || sent.attempt !== event.attempt) continue
    return [...steps.slice(0, index), { ...step, ended: event }, ...steps.slice(index + 1)]
  }
  return undefined
}

function stepOf<E extends SendonceEvent>(event: E): LaneStep<E> {
  const { at } = event
  return event.type === 'sent'
    ? { is: 'attempt', at, sent: event, ended: undefined }
    : { is: 'event', at, event }
}

/** Late ones come from other tabs: by a few places at most. */
function placed<E extends SendonceEvent>(
  steps: readonly LaneStep<E>[],
  step: LaneStep<E>,
): readonly LaneStep<E>[] {
  let index = steps.length
  while (index > 0 && (steps[index - 1]?.at ?? 0) > step.at) index -= 1
  return [...steps.slice(0, index), step, ...steps.slice(index)]
}
