import { tagOf } from './claim.ts'
import { stubOf } from './collect.ts'
import type { OperationRecord } from './record.ts'
import { parseRecord } from './record.ts'
import type { Change } from './store/store.ts'

/** What was given up: a record, or what a sign-out has left of one. */
export interface Discarded {
  readonly record?: OperationRecord
}

/**
 * Gives an operation up: leaves a stub, so that nothing of it is sent any more. Not while an attempt is on the wire.
 *
 * @param left As a page that is gone has left it: its attempt is nobody's.
 */
export function discard(
  old: unknown,
  left: OperationRecord | undefined,
  now: number,
): Change<Discarded | 'in-flight' | undefined> {
  const found = parseRecord(old)
  if (found.is === 'unreadable') return { drop: true, result: undefined }
  const { record, stub } = found
  if (stub?.stub === 'forgotten') {
    return { keep: { ...stub, stub: 'discarded', token: undefined, at: now }, result: {} }
  }
  if (!record) return { result: undefined }
  // The same claim, and not one that was undone and made anew meanwhile.
  const free = record.phase.is !== 'sending' || tagOf(left) === tagOf(record)
  return free
    ? { keep: stubOf(record, 'discarded', now), result: { record } }
    : { result: 'in-flight' }
}
