import type { Rows, Tables } from './tables.ts'

/** Raise it when the shape of the rows changes: older ones are thrown away. */
const DATABASE_VERSION = 2
const STORE = 'tables'
const KEY = 'rows'

/**
 * Tables in an IndexedDB database of their own: they survive a reload, and all tabs share them. All rows are one value,
 * so that every change is one readwrite transaction; that is slow, and enough for a mock.
 */
export function indexedDbTables(database: string, empty: () => Rows): Tables {
  let opening: Promise<IDBDatabase> | undefined

  const open = (): Promise<IDBDatabase> => {
    opening ??= new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open(database, DATABASE_VERSION)
      request.onupgradeneeded = () => {
        for (const name of request.result.objectStoreNames) request.result.deleteObjectStore(name)
        request.result.createObjectStore(STORE)
      }
      request.onsuccess = () => {
        const forget = () => {
          opening = undefined
        }
        // Safari closes connections by itself; a newer version waits until this one lets go.
        request.result.onclose = forget
        request.result.onversionchange = () => {
          forget()
          request.result.close()
        }
        resolve(request.result)
      }
      request.onerror = () => reject(request.error)
    }).catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }

  return {
    async change<R>(run: (rows: Rows) => R): Promise<R> {
      const opened = await open()
      return new Promise<R>((resolve, reject) => {
        const transaction = opened.transaction(STORE, 'readwrite')
        const store = transaction.objectStore(STORE)
        const reading: IDBRequest<Rows | undefined> = store.get(KEY)
        reading.onsuccess = () => {
          try {
            const rows = reading.result ?? empty()
            const result = run(rows)
            store.put(rows, KEY)
            transaction.oncomplete = () => resolve(result)
          } catch (error) {
            reject(error)
            transaction.abort()
          }
        }
        transaction.onabort = () => reject(transaction.error)
      })
    },
  }
}
