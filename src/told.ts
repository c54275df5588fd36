import type { Platform } from './platform.ts'
import type { OperationRecord } from './record.ts'
import { parseRecord } from './record.ts'
import type { Records } from './store/fallback.ts'
import type { Change, RecordKey } from './store/store.ts'

/** Long enough for the page to have painted what it was told; a page that dies before is told again. */
const PAINTED_AFTER_MS = 100

/** The successes that a page was told of: what tells a second order from the second half of a double click (rule 9). */
export interface Told {
  /** This page is told now; written down a little later. */
  tell(at: RecordKey, record: OperationRecord): void
  /** Somebody has made something of it: written down now. */
  note(at: RecordKey, record: OperationRecord): Promise<void>
  /** The one that this page was told last of an operation. */
  last(at: RecordKey): { readonly key: string; readonly agoMs: number } | undefined
}

export function createTold(
  platform: Platform,
  records: Records,
  track: (work: Promise<unknown>) => void,
  closed: () => boolean,
): Told {
  // Not with the handle: a handle that nobody holds goes, and what the page was told must not go with it.
  const told = new Map<string, { readonly key: string; readonly since: number }>()

  /** Writes down that some page was told, if none was before. */
  async function note(at: RecordKey, record: OperationRecord): Promise<void> {
    if (record.toldAt !== undefined || closed()) return
    const change = (old: unknown): Change<void> => {
      const still = parseRecord(old).record
      return still?.key === record.key &&
        still.phase.is === 'succeeded' &&
        still.toldAt === undefined
        ? { keep: { ...still, toldAt: platform.now() }, result: undefined }
        : { result: undefined }
    }
    const options = { onStorageFailure: 'memory', mine: record, durability: 'relaxed' } as const
    await records.change(at, change, options).catch(() => {})
  }

  return {
    tell(at, record) {
      told.set(JSON.stringify(at), { key: record.key, since: platform.monotonic() })
      platform.timer(PAINTED_AFTER_MS, () => track(note(at, record)))
    },
    note,
    last(at) {
      const last = told.get(JSON.stringify(at))
      return last && { key: last.key, agoMs: platform.monotonic() - last.since }
    },
  }
}
