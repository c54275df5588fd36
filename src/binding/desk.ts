import type { Outcome, Snapshot } from '../lifecycle.ts'
import type { Operation } from '../operation.ts'
import type { SubmitOptions } from './options.ts'

/** What the forms of this page have in common about one operation, beside its snapshot. */
export interface Desk {
  /** Those on screen, oldest first: they hear of an outcome in the place of one that is gone. */
  readonly mounted: Set<Hearer>
  /** Turns that were asked for and are not over. */
  turns: number
  /** The outcome whose callback has run last, by {@link idOf}. */
  told: string
  /** The settled outcome that was reset, by {@link idOf}. */
  forgotten: string
  /** The last outcome came while no form was on screen: the next one shows it. */
  unseen: boolean
}

/** A form, as far as others deal with it. */
export interface Hearer {
  readonly options: Pick<
    SubmitOptions<never, never>,
    'onSuccess' | 'onRefused' | 'onUnknown' | 'onPaused'
  >
  changed(): void
}

const desks = new WeakMap<object, Desk>()

export function deskOf(operation: Operation<unknown>): Desk {
  let desk = desks.get(operation)
  if (!desk) {
    desk = { mounted: new Set(), turns: 0, told: '', forgotten: '', unseen: false }
    desks.set(operation, desk)
  }
  return desk
}

/** The same for all copies of an outcome: each caller of a turn gets its own. */
export function idOf(snapshot: Snapshot<unknown>): string {
  const { state, key, startedAt, attempts } = snapshot as Outcome<unknown>
  return [state, key, startedAt, attempts].join()
}
