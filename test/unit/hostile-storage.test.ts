import 'fake-indexeddb/auto'
import { IDBFactory } from 'fake-indexeddb'
import type { Change, OperationStore, RecordKey } from 'sendonce'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createIndexedDbStore } from '../../src/store/indexed-db.ts'
import { memoryStore } from '../support/world/memory-store.ts'
import { keyOf, order, Shop, watch } from './shop.ts'

const AT: RecordKey = ['default', 'ada', 'checkout']

const put =
  (value: unknown) =>
  (_old: unknown): Change<string> => ({ keep: value, result: 'kept' })
const look = (old: unknown): Change<unknown> => ({ result: old })

/** Opens the database as another script does. */
function openOther(version?: number, upgrade?: (database: IDBDatabase) => void) {
  return new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('sendonce', version)
    request.onupgradeneeded = () => upgrade?.(request.result)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('blocked'))
  })
}

function deleteDatabase(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase('sendonce')
    request.onsuccess = () => resolve()
    request.onblocked = () => reject(new Error('blocked'))
  })
}

/** Time that the store waits for a disk, without waiting for it. */
const fakeTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

let store: OperationStore
beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  store = createIndexedDbStore('strict')
})
afterEach(() => {
  store.close()
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('a database that does not open', () => {
  it('is given up after three seconds, and asked again by the next call', async () => {
    fakeTimers()
    const open = vi.spyOn(indexedDB, 'open')
    open.mockReturnValueOnce({} as IDBOpenDBRequest)
    const first = watch(store.change(AT, put(1)))
    await vi.advanceTimersByTimeAsync(2_999)
    expect(first).toEqual({})
    await vi.advanceTimersByTimeAsync(2)
    expect(first.error).toMatchObject({ name: 'TimeoutError' })
    vi.useRealTimers()
    expect(await store.change(AT, put(2))).toBe('kept')
    expect(await store.change(AT, look)).toBe(2)
  })

  it('and opens after all is closed again: nobody else is blocked by it', async () => {
    fakeTimers()
    const late = {} as { -readonly [K in keyof IDBOpenDBRequest]?: IDBOpenDBRequest[K] }
    vi.spyOn(indexedDB, 'open').mockReturnValueOnce(late as IDBOpenDBRequest)
    const first = watch(store.change(AT, put(1)))
    await vi.advanceTimersByTimeAsync(3_001)
    expect(first.error).toMatchObject({ name: 'TimeoutError' })
    vi.useRealTimers()
    const connection = await openOther(1, database => database.createObjectStore('operations'))
    const close = vi.spyOn(connection, 'close')
    Object.assign(late, { result: connection })
    late.onsuccess?.call(late as IDBOpenDBRequest, new Event('success'))
    await Promise.resolve()
    await Promise.resolve()
    expect(close).toHaveBeenCalledOnce()
  })

  it('because another tab blocks it works as soon as that is gone', async () => {
    const other = await openOther(1, database => database.createObjectStore('operations'))
    const gone = new Promise(resolve => {
      indexedDB.deleteDatabase('sendonce').onsuccess = resolve
    })
    const kept = store.change(AT, put(1))
    other.close()
    await gone
    expect(await kept).toBe('kept')
  })

  it('because there is none says so, and nothing else', async () => {
    vi.stubGlobal('indexedDB', undefined)
    await expect(store.change(AT, put(1))).rejects.toBeInstanceOf(TypeError)
    await expect(store.list('default', 'ada')).rejects.toBeInstanceOf(TypeError)
  })

  it('because the browser denies it, by an exception or by an event, rejects with its reason', async () => {
    const denied = new DOMException('Denied.', 'SecurityError')
    vi.spyOn(indexedDB, 'open').mockImplementationOnce(() => {
      throw denied
    })
    await expect(store.change(AT, put(1))).rejects.toBe(denied)
    const request = { error: denied } as IDBOpenDBRequest
    vi.spyOn(indexedDB, 'open').mockReturnValueOnce(request)
    const second = watch(store.change(AT, put(1)))
    request.onerror?.(new Event('error'))
    await vi.waitFor(() => expect(second.error).toBe(denied))
  })
})

describe('a transaction that fails', () => {
  it.each([
    ['when it is asked for', 'QuotaExceededError'],
    ['when it is asked for', 'DataCloneError'],
  ])('%s with %s has written nothing', async (_, name) => {
    await store.change(AT, put('before'))
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementationOnce(() => {
      throw new DOMException('No.', name)
    })
    await expect(store.change(AT, put('after'))).rejects.toBeDefined()
    expect(await store.change(AT, look)).toBe('before')
  })

  it('after its request has succeeded has written nothing', async () => {
    await store.change(AT, put('before'))
    const { put: real } = IDBObjectStore.prototype
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementationOnce(function (
      this: IDBObjectStore,
      ...given
    ) {
      const request = Reflect.apply(real, this, given)
      request.addEventListener('success', () => this.transaction.abort())
      return request
    })
    await expect(store.change(AT, put('after'))).rejects.toMatchObject({ name: 'AbortError' })
    expect(await store.change(AT, look)).toBe('before')
  })

  it('in its decision has written nothing', async () => {
    await store.change(AT, put('before'))
    const decide = (old: unknown): Change<void> => {
      if (old !== undefined) throw new RangeError('No.')
      return { result: undefined }
    }
    await expect(store.change(AT, decide)).rejects.toBeDefined()
    expect(await store.change(AT, look)).toBe('before')
  })

  it.each([
    ['a question', look],
    ['a claim', put('mine')],
  ])('by hanging is given up after five seconds: %s', async (_, decide) => {
    await store.change(AT, put('before'))
    const { transaction } = IDBDatabase.prototype
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(function (
      this: IDBDatabase,
      ...given
    ) {
      const begun = Reflect.apply(transaction, this, given)
      // It is never heard of again.
      return Object.defineProperty(begun, 'oncomplete', { set() {} })
    })
    fakeTimers()
    const hanging = watch(store.change(AT, decide))
    await vi.advanceTimersByTimeAsync(4_999)
    expect(hanging).toEqual({})
    await vi.advanceTimersByTimeAsync(2)
    expect(hanging.error).toMatchObject({ name: 'TimeoutError' })
  })

  it('of what cannot be stored, again and again, leaves the way free for what can', async () => {
    const all = Array.from({ length: 100 }, () =>
      store.change(
        AT,
        put(() => {}),
      ),
    )
    for (const { status } of await Promise.allSettled(all)) expect(status).toBe('rejected')
    expect(await store.change(AT, put('after'))).toBe('kept')
  })
})

describe('a thousand changes at once', () => {
  it('are made, eight at a time: other tabs that wait for their turn do not take it for a hang', async () => {
    await store.change(AT, put('before'))
    const { transaction } = IDBDatabase.prototype
    let [now, most] = [0, 0]
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (
      this: IDBDatabase,
      ...given
    ) {
      const begun = Reflect.apply(transaction, this, given)
      now += 1
      most = Math.max(most, now)
      begun.addEventListener('complete', () => {
        now -= 1
      })
      return begun
    })
    const keys = Array.from({ length: 1_000 }, (_, n): RecordKey => ['default', 'ada', `each/${n}`])
    await Promise.all(keys.map(key => store.change(key, put(key[2]))))
    expect(most).toBe(8)
    expect(await store.list('default', 'ada')).toHaveLength(1_001)
  })
})

describe('a connection that died', () => {
  it('is opened again, and the change is made once', async () => {
    await store.change(AT, put('before'))
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(() => {
      throw new DOMException('The connection is closing.', 'InvalidStateError')
    })
    const decide = vi.fn(put('after'))
    expect(await store.change(AT, decide)).toBe('kept')
    expect(await store.change(AT, look)).toBe('after')
  })

  it('each time is given up', async () => {
    await store.change(AT, put('before'))
    const dead = new DOMException('The connection is closing.', 'InvalidStateError')
    const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
      throw dead
    })
    await expect(store.change(AT, look)).rejects.toBe(dead)
    expect(transaction).toHaveBeenCalledTimes(3)
  })
})

describe('others at the same database', () => {
  it('can upgrade it at once, and are worked beside', async () => {
    await store.change(AT, put('before'))
    const newer = await openOther(2, database => database.createObjectStore('later'))
    expect(newer.version).toBe(2)
    newer.onversionchange = () => newer.close()
    expect(await store.change(AT, look)).toBe('before')
    expect(await store.change(AT, put('after'))).toBe('kept')
    expect([...newer.objectStoreNames]).toEqual(['later', 'operations'])
    newer.close()
  })

  it('can delete it at once: what was there is gone, and the next change begins anew', async () => {
    await store.change(AT, put('before'))
    await deleteDatabase()
    expect(await store.change(AT, look)).toBeUndefined()
    expect(await store.change(AT, put('after'))).toBe('kept')
  })

  it('may have made it, without our store: nothing is written', async () => {
    const other = await openOther(1, database => database.createObjectStore('theirs'))
    other.close()
    await expect(store.change(AT, put(1))).rejects.toMatchObject({ name: 'NotFoundError' })
  })
})

/** A shop whose pages keep their records on IndexedDB. */
const shopOnDisk = () =>
  new Shop({ world: { openStore: () => createIndexedDbStore('strict'), calmTurns: 8 } })

describe('an order whose site data is cleared', () => {
  it('while it waits ends unknown: nothing more is sent of a key that nobody holds', async () => {
    const shop = shopOnDisk()
    const { client } = shop.open()
    shop.server.next({ is: 'status', status: 503, effect: true, retryAfter: 5 })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.wait(1_000)
    await deleteDatabase()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'unknown', reason: 'interrupted' })
    expect(shop.log).toHaveLength(1)
  })

  it('while its reply is on the way is told that it succeeded', async () => {
    const shop = shopOnDisk()
    const { client } = shop.open()
    shop.server.next({ is: 'slow-reply', ms: 2_000 })
    const sent = watch(client.submit('checkout', order()))
    await shop.world.wait(1_000)
    await deleteDatabase()
    await shop.world.settle()
    expect(sent.value).toMatchObject({ state: 'succeeded' })
    expect(shop.placed).toBe(1)
  })

  it('after an attempt without an answer is another order: a key that was cleared is lost', async () => {
    const shop = shopOnDisk()
    const { client } = shop.open({ retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const first = await shop.ending(client.submit('checkout', order()))
    await deleteDatabase()
    const second = await shop.ending(client.submit('checkout', order()))
    expect([first.state, second.state]).toEqual(['unknown', 'succeeded'])
    expect(keyOf(second)).not.toBe(keyOf(first))
    expect(shop.placed).toBe(2)
  })
})

describe('a store of its own', () => {
  it('has every browser: the same order in another one has another key', async () => {
    const shop = new Shop({ world: { openStore: () => memoryStore() } })
    const [phone, laptop] = [shop.open(), shop.open()]
    const first = await shop.ending(phone.client.submit('checkout', order()))
    const second = await shop.ending(laptop.client.submit('checkout', order()))
    expect(keyOf(second)).not.toBe(keyOf(first))
    expect(shop.placed).toBe(2)
  })

  it('has every page where nothing can be stored: a reload forgets the key', async () => {
    const shop = new Shop()
    const { client, page } = shop.open({ storage: 'memory', retry: { maxAttempts: 1 } })
    shop.server.next('lose-reply')
    const first = await shop.ending(client.submit('checkout', order()))
    expect(first).toMatchObject({ state: 'unknown', durable: false })
    const next = shop.open({ storage: 'memory' }, page.reload())
    const second = await shop.ending(next.client.submit('checkout', order()))
    expect(keyOf(second)).not.toBe(keyOf(first))
    expect(shop.placed).toBe(2)
  })
})
