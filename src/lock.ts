import type { RecordKey } from './store/store.ts'

/** The name of the Web Lock of an operation: the same for all clients, tabs and versions that share its record. */
export function lockName([name, scope, operation]: RecordKey): string {
  return `sendonce:${JSON.stringify([name, scope, operation])}`
}
