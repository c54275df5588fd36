import type { Platform, Release, Stop } from './platform.ts'

/** Calls back when `target` says `type`; nothing where there is no such target (a server). */
function listen(target: EventTarget | undefined, type: string, hear: (event: Event) => void): Stop {
  target?.addEventListener(type, hear)
  return () => target?.removeEventListener(type, hear)
}

/** The platform of a page. Touches nothing until it is asked, so that a server can create a client too. */
export function browserPlatform(): Platform {
  const page = () => (typeof window === 'undefined' ? undefined : window)
  const screen = () => (typeof document === 'undefined' ? undefined : document)
  // A frame without an origin has Web Locks, and may not use them (measured): as if there were none.
  let denied = false
  // Newer Nodes have locks too: a server that renders takes none.
  const locks = () => (page() && !denied ? navigator.locks : undefined)
  const subtle = () => (typeof crypto === 'undefined' ? undefined : crypto.subtle)
  const visible = () => {
    const shown = screen()
    const prerendering = (shown as { prerendering?: boolean } | undefined)?.prerendering === true
    return shown === undefined || (shown.visibilityState === 'visible' && !prerendering)
  }

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
      if (typeof BroadcastChannel === 'undefined' || !page()) return { post() {}, close() {} }
      let channel: BroadcastChannel | undefined
      const open = () => {
        try {
          channel ??= new BroadcastChannel(name)
          channel.onmessage = event => hear(event.data)
        } catch {
          // Denied: in Firefox, to sites that may store nothing.
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
    online: () => typeof navigator === 'undefined' || navigator.onLine !== false,
    visible,
    on(event, hear) {
      switch (event) {
        case 'online':
          return listen(page(), 'online', hear)
        case 'visible': {
          const look = () => {
            if (visible()) hear()
          }
          const stops = [
            listen(screen(), 'visibilitychange', look),
            listen(screen(), 'prerenderingchange', look),
          ]
          return () => {
            for (const stop of stops) stop()
          }
        }
        case 'hide':
        case 'show':
          return listen(page(), event === 'hide' ? 'pagehide' : 'pageshow', moved => {
            if ((moved as PageTransitionEvent).persisted) hear()
          })
      }
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
    get sha256() {
      const known = subtle()
      return known && ((bytes: Uint8Array<ArrayBuffer>) => known.digest('SHA-256', bytes))
    },
    get hmac() {
      const known = subtle()
      return (
        known && {
          newKey: () => known.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
          sign: (key: unknown, bytes: Uint8Array<ArrayBuffer>) =>
            known.sign('HMAC', key as CryptoKey, bytes),
        }
      )
    },
  }
}
