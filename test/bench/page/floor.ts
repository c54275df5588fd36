import type { UseStore } from 'idb-keyval'
import { promisifyRequest, set } from 'idb-keyval'
import ky from 'ky'
import { nanoid } from 'nanoid'

/** A store of its own that waits for the disk, as sendonce's does. */
export function strictStore(database: string): UseStore {
  const request = indexedDB.open(database)
  request.onupgradeneeded = () => request.result.createObjectStore('records')
  const opened = promisifyRequest(request)
  return async (mode, run) => {
    const transaction = (await opened).transaction('records', mode, { durability: 'strict' })
    return run(transaction.objectStore('records'))
  }
}

/**
 * The least that a client can do which writes its key down before it sends: one `set` that waits for the disk, one call
 * of ky without retries, the answer read.
 */
export function floor(
  store: UseStore,
  record: object,
  send?: typeof fetch,
): (json: unknown) => Promise<unknown> {
  return async json => {
    const key = nanoid()
    await set(['default', 'ada', key], { ...record, key }, store)
    const headers = { 'idempotency-key': key }
    return ky.post('/api/orders', { json, headers, retry: 0, ...(send && { fetch: send }) }).json()
  }
}
