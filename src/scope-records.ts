import { age, collect, stubOf } from './collect.ts'
import type { Host } from './host.ts'
import type { OperationRecord } from './record.ts'
import { isSettled, parseRecord } from './record.ts'
import { SECRET } from './secret.ts'
import type { Change } from './store/store.ts'

/** What one scope has in the store, by operation. */
export type ScopeRecords = readonly (readonly [operation: string, record: OperationRecord])[]

type Part = Pick<Host, 'name' | 'records' | 'platform' | 'keepSettledMs' | 'emit'>

export async function recordsOf(host: Part, scope: string | null): Promise<ScopeRecords> {
  if (scope === null) return []
  const { name, records, platform, keepSettledMs } = host
  return (await records.list(name, scope)).flatMap(([key, stored]) => {
    const { record } = age(parseRecord(stored), platform.now(), keepSettledMs)
    return record ? [[key[2], record] as const] : []
  })
}

/** Leaves stubs of what is there, so that the same submit meets the same key again. */
export async function eraseRecords(host: Part, scope: string, found: ScopeRecords): Promise<void> {
  const { name, records, platform } = host
  const now = platform.now()
  const change = (old: unknown): Change<void> => {
    const record = parseRecord(old).record
    if (!record) return { result: undefined }
    const stub = isSettled(record) ? record.phase.is : 'forgotten'
    return { keep: stubOf(record, stub, now), result: undefined }
  }
  await Promise.all(found.map(([operation]) => records.change([name, scope, operation], change)))
}

/** Time goes over what a scope has left: answers, records and stubs whose time is up. */
export async function sweepRecords(host: Part, scope: string | null): Promise<void> {
  if (scope === null) return
  const { name, records, platform, keepSettledMs, emit } = host
  for (const [key, stored] of await records.list(name, scope)) {
    const [, , operation] = key
    if (operation === SECRET) continue
    const now = platform.now()
    const before = parseRecord(stored)
    if (before.is === 'unreadable') {
      emit({ type: 'record-set-aside', cause: 'It cannot be read.' }, operation)
    }
    if (age(before, now, keepSettledMs) === before) continue
    const change = (old: unknown) => collect(old, now, keepSettledMs)
    const after = await records.change(key, change, { durability: 'relaxed' })
    if (before.record && !isSettled(before.record) && after.is === 'nothing') {
      const cause = 'Nobody came back to it.'
      emit({ type: 'record-expired', cause }, operation, before.record)
    }
  }
}
