import type { Lane, Snapshot } from 'sendonce'
import type { ShopName } from './journal.ts'
import type { Noted } from './notebook.ts'

/** What stands at the end of a lane. */
export type LaneEnding =
  | { readonly is: 'waiting'; readonly until: number | undefined }
  | { readonly is: 'under-way' | 'unknown' | 'on-hold' | 'given-up' | 'refused' | 'succeeded' }
  /** Plain fetch: the page has told the person that it went wrong, and does not know. */
  | { readonly is: 'blamed' }

/** As the events tell it. */
export function endingOf(lane: Lane<Noted>, shop: ShopName, left: ReadonlySet<string>): LaneEnding {
  const { latest, steps } = lane
  // A click that joined, and a token that was fetched ahead, change nothing.
  const last = changes(latest) ? latest : steps.flatMap(step => eventsOf(step)).findLast(changes)
  if (!last) return { is: 'under-way' }
  const gone = left.has(last.page)
  switch (last.type) {
    case 'succeeded':
    case 'refused':
    case 'unknown':
      return { is: last.type }
    case 'paused':
      return { is: 'on-hold' }
    case 'discarded':
      return { is: 'given-up' }
    case 'waiting':
      if (gone) return { is: 'unknown' }
      return { is: 'waiting', until: last.reason === 'offline' ? undefined : last.nextAttemptAt }
    case 'unanswered':
      return shop === 'plain' ? { is: 'blamed' } : { is: gone ? 'unknown' : 'under-way' }
    default:
      return { is: gone ? 'unknown' : 'under-way' }
  }
}

/** As the client tells it. */
export function endingNow(snapshot: Snapshot<unknown>): LaneEnding | undefined {
  switch (snapshot.state) {
    case 'waiting':
      if (snapshot.reason === 'other-tab') return { is: 'under-way' }
      return {
        is: 'waiting',
        until: snapshot.reason === 'offline' ? undefined : snapshot.nextAttemptAt,
      }
    case 'sending':
      return { is: 'under-way' }
    case 'unknown':
      return { is: 'unknown' }
    default:
      return undefined
  }
}

function changes({ type }: Noted): boolean {
  return type !== 'joined' && type !== 'token-fetched'
}

function eventsOf(step: Lane<Noted>['steps'][number]): readonly Noted[] {
  if (step.is === 'event') return [step.event]
  return step.ended ? [step.sent, step.ended] : [step.sent]
}
