import { stubOf } from './collect.ts'
import type { OperationRecord } from './record.ts'
import { parseRecord } from './record.ts'
import type { ChangeOptions, Records } from './store/fallback.ts'
import type { Change, RecordKey } from './store/store.ts'

/**
 * Moves a record to another scope: first there, then away from here, so that a page that dies in between leaves it twice
 * rather than nowhere; the same key then, and the next call ends it. Resolves with whether it was moved: what the other
 * scope has under this name already stays, and so does this one.
 */
export async function moveRecord(
  records: Records,
  from: RecordKey,
  to: RecordKey,
  now: () => number,
  options: ChangeOptions,
): Promise<boolean> {
  for (;;) {
    const found = parseRecord(await records.read(from))
    if (found.is !== 'record') return false
    const { record } = found
    const put = (old: unknown): Change<boolean> => {
      const there = parseRecord(old)
      const free =
        there.is === 'nothing' ||
        (there.is === 'stub' && there.stub.stub !== 'forgotten') ||
        (there.is === 'record' && there.record.key === record.key)
      return free ? { keep: record, result: true } : { result: false }
    }
    if (!(await records.change(to, put, options))) return false
    const away = (old: unknown): Change<boolean> => {
      const here = parseRecord(old)
      return here.is === 'record' && isSame(here.record, record)
        ? { keep: stubOf(record, 'discarded', now()), result: true }
        : { result: false }
    }
    if (await records.change(from, away, options)) return true
    // Its last attempt was written down meanwhile.
  }
}

function isSame(one: OperationRecord, other: OperationRecord): boolean {
  return one.key === other.key && one.attempt === other.attempt && one.phase.is === other.phase.is
}
