import { createClient } from 'sendonce'
import { afterEach, describe, expect, it, vi } from 'vitest'

afterEach(() => vi.unstubAllGlobals())

/** What only browsers have, or only some servers. */
const GLOBALS = [
  'window',
  'document',
  'navigator',
  'indexedDB',
  'localStorage',
  'BroadcastChannel',
  'location',
] as const

describe('on a server', () => {
  it('creating a client throws nothing and starts no timer', async () => {
    vi.useFakeTimers()
    for (const name of GLOBALS) vi.stubGlobal(name, undefined)
    const client = createClient({ scope: 'ada' })
    const handle = client.operation('checkout')
    expect(handle.getSnapshot()).toEqual({ state: 'idle', operation: 'checkout', read: false })
    await client.idle()
    expect(vi.getTimerCount()).toBe(0)
    client.close()
    vi.useRealTimers()
  })

  it('nothing is opened, listened to or sent', async () => {
    const touched: string[] = []
    const trap = (name: string) =>
      new Proxy(() => {}, {
        get: (_, member) => {
          touched.push(`${name}.${String(member)}`)
          return undefined
        },
        apply: () => void touched.push(`${name}()`),
        construct: () => {
          touched.push(`new ${name}`)
          return {}
        },
      })
    for (const name of GLOBALS) vi.stubGlobal(name, undefined)
    for (const name of ['fetch', 'BroadcastChannel']) vi.stubGlobal(name, trap(name))
    const client = createClient({ scope: () => null })
    client.operation('checkout').getSnapshot()
    await client.idle()
    expect(touched).toEqual([])
  })
})
