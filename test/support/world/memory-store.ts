import type { OperationStore, RecordKey } from '../../../src/store/store.ts'

export interface MemoryStore extends OperationStore {
  /** What is committed now, without waiting. */
  records(): readonly (readonly [RecordKey, unknown])[]
}

/** The semantics of the real thing without its time: values are cloned, a throwing decision writes nothing. */
export function memoryStore(): MemoryStore {
  const rows = new Map<string, readonly [RecordKey, unknown]>()
  const records = () => {
    const sorted = [...rows.keys()].sort().map(id => rows.get(id))
    return structuredClone(sorted.filter(row => row !== undefined))
  }
  const list = (name: string, scope: string) =>
    records().filter(([key]) => key[0] === name && key[1] === scope)
  return {
    records,
    async change(key, decide) {
      const id = JSON.stringify(key)
      const change = decide(structuredClone(rows.get(id)?.[1]))
      if ('keep' in change) rows.set(id, structuredClone([key, change.keep] as const))
      else if ('drop' in change) rows.delete(id)
      return change.result
    },
    async list(name, scope) {
      return list(name, scope)
    },
    close() {},
  }
}
