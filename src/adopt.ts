import { remainingMs, tagOf } from './claim.ts'
import { stubOf } from './collect.ts'
import { pauseAfter } from './conclude.ts'
import type { Host } from './host.ts'
import { advance, stopped } from './lifecycle.ts'
import type { OperationRecord } from './record.ts'
import { parseRecord } from './record.ts'
import type { Change, RecordKey } from './store/store.ts'

/**
 * Moves a record to another scope: first there, then away from here, so that a page that dies in between leaves it twice
 * rather than nowhere; the same key then, and the next call ends it. Resolves with whether it was moved: what the other
 * scope has under this name already stays, and so does this one.
 */
export async function moveRecord(
  host: Pick<Host, 'name' | 'records' | 'platform'>,
  operation: string,
  fromScope: string,
  toScope: string,
): Promise<boolean> {
  const { name, records, platform } = host
  const from: RecordKey = [name, fromScope, operation]
  const to: RecordKey = [name, toScope, operation]
  for (;;) {
    const record = parseRecord(await records.read(from)).record
    if (!record) return false
    const adopted = left(record, platform.now())
    const put = (old: unknown): Change<boolean> => {
      const there = parseRecord(old)
      const free =
        there.is === 'nothing' ||
        (there.is === 'stub' && there.stub.stub !== 'forgotten') ||
        there.record?.key === record.key
      return free ? { keep: adopted, result: true } : { result: false }
    }
    if (!(await records.change(to, put))) return false
    const away = (old: unknown): Change<boolean> => {
      const here = parseRecord(old).record
      return here && tagOf(here) === tagOf(record)
        ? { keep: stubOf(record, 'discarded', platform.now()), result: true }
        : { result: false }
    }
    if (await records.change(from, away)) return true
    // Its last attempt was written down meanwhile.
  }
}

/** A wait is its turn's, which finds it gone: nobody waits for it in the other scope. What the server asked for stays. */
function left(record: OperationRecord, now: number): OperationRecord {
  const { phase, ambiguous } = record
  if (phase.is !== 'waiting') return record
  const waitMs = phase.hurry ? undefined : remainingMs(phase, now)
  const pause = ambiguous > 0 ? undefined : pauseAfter(phase)
  const end = stopped(record, 'interrupted', pause, waitMs)
  return advance(record, { phase: end }, undefined, { owner: phase.owner, now })
}
