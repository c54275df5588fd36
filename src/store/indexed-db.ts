import { promisifyRequest } from 'idb-keyval'
import { browserPlatform } from '../browser.ts'
import type { Deferred } from '../deferred.ts'
import { deferred } from '../deferred.ts'
import { inTime } from '../in-time.ts'
import type { Platform } from '../platform.ts'
import type { Change, OperationStore, RecordKey } from './store.ts'

/** Never raised: the schema's version is in each record, and an upgrade blocks on every frozen tab. */
const DATABASE = 'sendonce'
const STORE = 'operations'

/** An open can hang for ever behind another tab's blocked upgrade (measured); a good one takes up to 0.5 s. */
const OPEN_LIMIT_MS = 3_000
/** A transaction can hang for ever behind a frozen tab's (measured); a good one takes up to 0.3 s. */
const COMMIT_LIMIT_MS = 5_000
/**
 * Transactions of all tabs stand in one queue: a thousand of one tab would look like a hang to the others. So many keep
 * the disk busy.
 */
const MOST_AT_ONCE = 8
/** A connection that the browser closed without telling throws when a transaction is opened: nothing was written. */
const REOPEN_LIMIT = 2

/** What a transaction can be asked for: `strict` waits for the disk, `relaxed` for the operating system. */
export type Durability = 'strict' | 'relaxed'

interface IndexedDbStore extends OperationStore {
  change<R>(
    key: RecordKey,
    decide: (old: unknown) => Change<R>,
    durability?: Durability,
  ): Promise<R>
}

/** Records in IndexedDB, shared by all tabs of an origin. */
export function createIndexedDbStore(
  durability: Durability,
  database: string = DATABASE,
  page: Pick<Platform, 'on' | 'timer'> = browserPlatform(),
): IndexedDbStore {
  let opening: Promise<IDBDatabase> | undefined
  const underWay = new Set<IDBTransaction>()
  const interrupted = new WeakSet<IDBTransaction>()
  let entered = 0
  const queue: (() => void)[] = []
  let away: Deferred<void> | undefined
  // In the back-forward cache none of this page's code runs: a transaction that waits for it makes those of all other
  // tabs wait, in WebKit (measured). It begins anew when the page comes back: nothing was committed.
  page.on('hide', () => {
    away ??= deferred()
    for (const each of underWay) {
      try {
        each.abort()
        interrupted.add(each)
      } catch {
        // It commits by itself.
      }
    }
  })
  page.on('show', () => {
    away?.resolve()
    away = undefined
  })

  function open(): Promise<IDBDatabase> {
    if (opening) return opening
    // A sandboxed frame throws here, at once.
    const request = indexedDB.open(database)
    request.onupgradeneeded = () => request.result.createObjectStore(STORE)
    let late = false
    const forget = () => {
      if (opening === attempt) opening = undefined
    }
    const opened = promisifyRequest(request).then(connection => {
      // Whoever wants to delete or upgrade the database must not wait for us.
      connection.onversionchange = () => {
        connection.close()
        forget()
      }
      connection.onclose = forget
      // A connection that nobody waits for any more would block other tabs.
      if (late) connection.close()
      else if (!connection.objectStoreNames.contains(STORE)) {
        connection.close()
        throw new DOMException(
          `The database "${database}" has no store "${STORE}".`,
          'NotFoundError',
        )
      }
      return connection
    })
    const attempt = inTime(opened, OPEN_LIMIT_MS, 'Opening IndexedDB took too long.', page).catch(
      error => {
        late = true
        forget()
        throw error
      },
    )
    opening = attempt
    return attempt
  }

  async function transact<R>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore, finish: (result: R) => void) => void,
    asked: Durability = durability,
    reopened = 0,
  ): Promise<R> {
    const again = (error: unknown): Promise<R> => {
      if (reopened >= REOPEN_LIMIT) throw error
      opening = undefined
      return transact(mode, work, asked, reopened + 1)
    }
    let connection = await open()
    // Who leaves hands its place on.
    if (entered < MOST_AT_ONCE) entered += 1
    else await new Promise<void>(resolve => void queue.push(resolve))
    let transaction: IDBTransaction | undefined
    try {
      while (away) {
        await away.promise
        connection = await open()
      }
      try {
        transaction = connection.transaction(STORE, mode, { durability: asked })
      } catch (error) {
        return again(error)
      }
      underWay.add(transaction)
      let result: { readonly value: R } | undefined
      work(transaction.objectStore(STORE), value => {
        result = { value }
      })
      // Complete, not the request's success: what is known earlier was forgotten in up to half of the kills (measured).
      await inTime(
        promisifyRequest(transaction),
        COMMIT_LIMIT_MS,
        'IndexedDB did not commit.',
        page,
      )
      if (result) return result.value
    } catch (error) {
      if (!transaction) throw error
      if (interrupted.has(transaction)) return transact(mode, work, asked, reopened)
      // Safari loses its database process ("connection to Indexed Database server lost"): nothing was committed.
      if (transaction.error?.name === 'UnknownError') return again(error)
      try {
        transaction.abort()
      } catch {
        // Over already.
      }
      // A forced close rejects with null (measured).
      throw error ?? new DOMException('The transaction was aborted.', 'AbortError')
    } finally {
      if (transaction) underWay.delete(transaction)
      const next = queue.shift()
      if (next) next()
      else entered -= 1
    }
    throw new DOMException('The transaction ended without a result.', 'AbortError')
  }

  return {
    async change(key, decide, asked) {
      const id = [...key]
      // Mostly nothing is there yet. Then there is nothing to wait for but the disk: `add` looks and takes in one step.
      const expected = decide(undefined)
      if ('keep' in expected) {
        let isThere = false
        try {
          return await transact(
            'readwrite',
            (store, finish: (result: typeof expected.result) => void) => {
              const request = store.add(expected.keep, id)
              request.onsuccess = () => finish(expected.result)
              request.onerror = () => {
                isThere = request.error?.name === 'ConstraintError'
              }
              // Not left to the browser, which would ask this page first whether it has more to do.
              store.transaction.commit()
            },
            asked,
          )
        } catch (error) {
          // Something is there, and nothing was written.
          if (!isThere) throw error
        }
      }
      return transact(
        'readwrite',
        (store, finish) => {
          const read = store.get(id)
          // What throws in here aborts the transaction.
          read.onsuccess = () => {
            // WebKit tells what was read after an abort too (measured).
            if (interrupted.has(store.transaction)) return
            const change = decide(read.result)
            if ('keep' in change) store.put(change.keep, id)
            else if ('drop' in change) store.delete(id)
            finish(change.result)
          }
        },
        asked,
      )
    },
    list(name, scope) {
      return transact('readonly', (store, finish) => {
        const all = IDBKeyRange.bound([name, scope], [name, scope, []])
        const keys = store.getAllKeys(all)
        const values = store.getAll(all)
        values.onsuccess = () =>
          finish(
            keys.result.map((key, at) => [key as unknown as RecordKey, values.result[at]] as const),
          )
      })
    },
    close() {
      opening?.then(
        connection => connection.close(),
        () => {},
      )
      opening = undefined
    },
  }
}
