import { useMemo, useSyncExternalStore } from 'react'
import type { Operation, Snapshot } from 'sendonce'
import { api } from './api.ts'

/** An operation, and what is known of it now. */
export function useOperation(name: string): {
  readonly handle: Operation<unknown>
  readonly snapshot: Snapshot<unknown>
} {
  const { handle, subscribe, read } = useMemo(() => {
    const handle = api.operation(name)
    return {
      handle,
      subscribe: (listener: () => void) => handle.subscribe(listener),
      read: () => handle.getSnapshot(),
    }
  }, [name])
  return { handle, snapshot: useSyncExternalStore(subscribe, read) }
}
