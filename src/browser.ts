import { listen } from './listen.ts'
import type { Platform, Release } from './platform.ts'

/** The platform of a page. Touches nothing until it is asked, so that a server can create a client too. */
export function browserPlatform(): Platform {
  const page = (): Window | undefined => globalThis.window
  // A frame without an origin has Web Locks, and may not use them (measured): as if there were none.
  let denied = false
  // Newer Nodes have locks too: a server that renders takes none.
  const locks = () => (page() && !denied ? navigator.locks : undefined)

  async function tryLock(name: string): Promise<Release | undefined> {
    const manager = locks()
    if (!manager) return undefined
    return new Promise(resolve => {
      const hold = (lock: unknown) => {
        if (!lock) return resolve(undefined)
        return new Promise<void>(letGo => {
          const stop = listen(page(), 'pagehide', () => release())
          const release = () => {
            stop()
            letGo()
          }
          resolve(release)
        })
      }
      // Asked for, never queued for: a queue behind a page that went into the back-forward cache can stand still for
      // longer than 28 s (measured).
      manager.request(name, { ifAvailable: true }, hold).catch(error => {
        denied = error?.name === 'SecurityError'
        resolve(undefined)
      })
    })
  }

  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    random: () => Math.random(),
    timer(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    fetch: (input, init) => fetch(input, init),
    get tryLock() {
      return locks() && tryLock
    },
    async heldLocks() {
      const { held = [] } = (await locks()?.query()) ?? {}
      return new Set(held.map(lock => lock.name ?? ''))
    },
    channel(name, hear) {
      let channel: BroadcastChannel | undefined
      const open = () => {
        // A server that renders has nobody to tell.
        if (!page()) return
        try {
          channel ??= new BroadcastChannel(name)
          channel.onmessage = event => hear(event.data)
        } catch {
          // Denied: in Firefox, to sites that may store nothing. Or there is none.
        }
      }
      const shut = () => {
        channel?.close()
        channel = undefined
      }
      open()
      // A message would throw the page out of the back-forward cache (measured); when it is shown it looks for itself.
      const stops = [listen(page(), 'pagehide', shut), listen(page(), 'pageshow', open)]
      return {
        post: message => channel?.postMessage(message),
        close() {
          for (const stop of stops) stop()
          shut()
        },
      }
    },
    online: () => globalThis.navigator?.onLine !== false,
    visible: isVisible,
    on(event, hear) {
      if (event === 'online') return listen(page(), event, hear)
      if (event === 'visible') {
        const look = () => {
          if (isVisible()) hear()
        }
        const stops = ['visibilitychange', 'prerenderingchange'].map(type =>
          listen(globalThis.document, type, look),
        )
        return () => {
          for (const stop of stops) stop()
        }
      }
      return listen(page(), `page${event}`, moved => {
        if ((moved as PageTransitionEvent).persisted) hear()
      })
    },
    notes: {
      get(name) {
        try {
          return localStorage.getItem(name) ?? undefined
        } catch {
          return undefined
        }
      },
      set(name, value) {
        try {
          if (value === undefined) localStorage.removeItem(name)
          else localStorage.setItem(name, value)
        } catch {
          // Denied, full, or there is none.
        }
      },
    },
    get subtle() {
      return globalThis.crypto?.subtle as SubtleCrypto | undefined
    },
  }
}

/** Where there is no document nobody is kept from looking. */
export function isVisible(): boolean {
  const shown: (Document & { readonly prerendering?: boolean }) | undefined = globalThis.document
  return !shown || (shown.visibilityState === 'visible' && shown.prerendering !== true)
}
