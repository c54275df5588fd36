import type { OperationStore, RecordKey } from './store.ts'

/** Records for as long as the page lives: where a browser denies IndexedDB, and for tests. */
export function createMemoryStore(): OperationStore & { has(key: RecordKey): boolean } {
  const records = new Map<string, readonly [RecordKey, unknown]>()
  const id = (key: RecordKey) => JSON.stringify(key)
  return {
    has: key => records.has(id(key)),
    async change(key, decide) {
      const change = decide(records.get(id(key))?.[1])
      if ('keep' in change) records.set(id(key), [key, change.keep])
      else if ('drop' in change) records.delete(id(key))
      return change.result
    },
    async list(name, scope) {
      return [...records.values()].filter(([key]) => key[0] === name && key[1] === scope)
    },
    close() {},
  }
}
