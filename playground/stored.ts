import { useSyncExternalStore } from 'react'

/** Everything that the playground keeps in localStorage, so that "start over" finds it. */
export const PREFIX = 'sendonce-playground:'

/** A value that survives reloads. */
export interface Stored<T> {
  get(): T
  set(value: T): void
  subscribe(listener: () => void): () => void
}

/** A value that is the same in all tabs. */
export function stored<T>(name: string, initial: T): Stored<T> {
  return storedIn(localStorage, name, initial)
}

/** The same for this tab alone. */
export function storedHere<T>(name: string, initial: T): Stored<T> {
  return storedIn(sessionStorage, name, initial)
}

function storedIn<T>(storage: Storage, name: string, initial: T): Stored<T> {
  const key = PREFIX + name
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  let text: string | null = null
  let value = initial

  addEventListener('storage', event => {
    if (event.key === key || event.key === null) tell()
  })
  return {
    get() {
      const now = storage.getItem(key)
      // The same reference until something changes, as React asks.
      if (now !== text) {
        text = now
        value = now === null ? initial : (JSON.parse(now) as T)
      }
      return value
    },
    set(next) {
      storage.setItem(key, JSON.stringify(next))
      tell()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export function useStored<T>(store: Stored<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}

/** What is stored under names that begin like this, as it is stored. */
export function storedTexts(beginning: string): ReadonlyMap<string, string> {
  const keys = Object.keys(localStorage).filter(key => key.startsWith(PREFIX + beginning))
  return new Map(keys.map(key => [key.slice(PREFIX.length), localStorage.getItem(key) ?? '']))
}

export function forgetStored(names: Iterable<string>): void {
  for (const name of names) localStorage.removeItem(PREFIX + name)
}
