import { SendonceError } from '../errors.ts'
import type { Platform } from '../platform.ts'
import type { OperationRecord } from '../record.ts'
import { parseRecord } from '../record.ts'
import type { Durability } from './indexed-db.ts'
import { createMemoryStore } from './memory.ts'
import type { Change, OperationStore, RecordKey } from './store.ts'

/** Remembers, for as long as site data lives, that records may lie in this browser. */
const MARKER = 'sendonce'

/** What a change asks of the store beside the change. */
export interface ChangeOptions {
  /** @default the client's */
  readonly onStorageFailure?: 'memory' | 'refuse' | undefined
  /** The record as this page last knew it: once something was sent, a broken disk does not stop the operation. */
  readonly mine?: OperationRecord | undefined
  readonly durability?: Durability | undefined
}

/** The store as the loop sees it: the disk, and memory where the disk denies itself. */
export interface Records {
  change<R>(
    key: RecordKey,
    decide: (old: unknown) => Change<R>,
    options?: ChangeOptions,
  ): Promise<R>
  /** Looks, and never falls back: what cannot be read is not replaced. */
  read(key: RecordKey): Promise<unknown>
  list(name: string, scope: string): Promise<readonly (readonly [RecordKey, unknown])[]>
  durable(key: RecordKey): boolean
  close(): void
}

/** A store that may take a wish for durability; one of the app's own need not know it. */
type Disk = OperationStore & {
  change<R>(
    key: RecordKey,
    decide: (old: unknown) => Change<R>,
    durability?: Durability,
  ): Promise<R>
}

/**
 * Memory is allowed only where the disk has *never* worked in this browser. Where it has worked and now fails or hangs,
 * an unsettled key may lie there, and a new one would do the operation twice.
 *
 * @param disk - undefined: memory by the app's own choice
 */
export function createRecords(
  disk: Disk | undefined,
  notes: Platform['notes'],
  onFailure: 'memory' | 'refuse',
  onNotDurable: (key: RecordKey, cause: unknown) => void,
): Records {
  const memory = createMemoryStore()
  let worked = false

  const hasWorked = () => worked || notes.get(MARKER) !== undefined

  function remember(): void {
    if (worked) return
    worked = true
    notes.set(MARKER, '1')
  }

  /**
   * Puts what memory knows back on a disk that works again, unless another tab has moved the record since, or brought it
   * to its end: a success is final for its key (rule 4).
   */
  function heal(key: RecordKey): void {
    const settle = (old: unknown, mine: unknown): Change<void> => {
      const theirs = parseRecord(old).record
      const { record, stub } = parseRecord(mine)
      const ours = record ?? stub
      const isOlder =
        theirs !== undefined && theirs.key === ours?.key && theirs.attempt <= ours.attempt
      const isOver = theirs?.phase.is === 'succeeded' && record?.phase.is !== 'succeeded' && !stub
      return isOlder && !isOver ? { keep: mine, result: undefined } : { result: undefined }
    }
    memory
      .change(key, mine => ({ result: mine }))
      .then(mine => disk?.change(key, old => settle(old, mine), 'relaxed'))
      .catch(() => {})
  }

  function unreadable(cause: unknown): never {
    throw new SendonceError('storage', `The store cannot be read (${cause}).`, { cause })
  }

  return {
    async change(key, decide, { onStorageFailure = onFailure, mine, durability } = {}) {
      if (!disk || memory.has(key)) {
        const result = await memory.change(key, decide)
        if (disk) heal(key)
        return result
      }
      try {
        const result = await disk.change(key, decide, durability)
        remember()
        return result
      } catch (cause) {
        if (mine) await memory.change(key, () => ({ keep: mine, result: undefined }))
        else if (onStorageFailure === 'refuse' || hasWorked()) {
          throw new SendonceError(
            'storage',
            `Nothing was sent: the key of "${key[2]}" could not be stored (${String(cause)}). Try again; reload if it stays so.`,
            { cause },
          )
        }
        onNotDurable(key, cause)
        const result = await memory.change(key, decide)
        heal(key)
        return result
      }
    },
    async read(key) {
      if (!disk || memory.has(key)) {
        if (disk) heal(key)
        return memory.change<unknown>(key, old => ({ result: old }))
      }
      return disk.change<unknown>(key, old => ({ result: old })).catch(unreadable)
    },
    async list(name, scope) {
      const inMemory = await memory.list(name, scope)
      const taken = new Set(inMemory.map(([key]) => key[2]))
      const onDisk = await disk
        ?.list(name, scope)
        .catch(cause => (hasWorked() ? unreadable(cause) : []))
      return [...inMemory, ...(onDisk ?? []).filter(([key]) => !taken.has(key[2]))]
    },
    durable: key => disk !== undefined && !memory.has(key),
    close: () => disk?.close(),
  }
}
