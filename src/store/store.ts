/** Identifies a record: which client of this origin, whose, and which operation. */
export type RecordKey = readonly [name: string, scope: string, operation: string]

/** What a decision does to the record it was shown: `keep` another, `drop` it, or leave it; `change` resolves with `result`. */
export type Change<R> =
  | { readonly keep: unknown; readonly result: R }
  | { readonly drop: true; readonly result: R }
  | { readonly result: R }

/**
 * Where records are kept. Write your own to keep them elsewhere; `sendonce` ships one on IndexedDB and one in memory.
 * Records are opaque structured-cloneable values.
 */
export interface OperationStore {
  /**
   * One transaction: reads the record, lets `decide` look at it, writes or deletes. Resolves when the transaction is
   * **committed**, not earlier. `decide` is synchronous and pure, and may be called again when the transaction has to
   * be repeated. Rejects when nothing, or nobody knows whether something, was written.
   */
  change<R>(key: RecordKey, decide: (old: unknown) => Change<R>): Promise<R>
  /** All records of a client and scope. */
  list(name: string, scope: string): Promise<readonly (readonly [RecordKey, unknown])[]>
  /** Lets go of what is open. A later call may open it again. */
  close(): void
}
