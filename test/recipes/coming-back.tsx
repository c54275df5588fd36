import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { UnsettledOperation } from 'sendonce'
import { describe } from 'sendonce'
import { api } from './api.ts'

/** What an earlier visit has left unsettled: where a person looks first. */
export function ComingBack() {
  const [found, setFound] = useState<readonly UnsettledOperation[]>([])
  useEffect(() => {
    let isGone = false
    void api.unsettled().then(list => isGone || setFound(list))
    return () => {
      isGone = true
    }
  }, [])
  return (
    <ul aria-label="Left from your last visit">
      {found.map(({ operation }) => (
        <LeftOver key={operation} operation={operation} />
      ))}
    </ul>
  )
}

function LeftOver({ operation }: { readonly operation: string }) {
  const handle = api.operation(operation) // The same object as long as the list is held.
  const subscribe = useCallback((changed: () => void) => handle.subscribe(changed), [handle])
  const snapshot = useSyncExternalStore(subscribe, () => handle.getSnapshot())
  if (snapshot.state === 'idle') return null // Forgotten, here or in another tab.
  const isOpen = snapshot.state === 'unknown' || snapshot.state === 'paused'
  const isSafe = snapshot.state === 'paused' || (snapshot.state === 'unknown' && snapshot.resumable)
  // Both reject where another tab has been quicker: then the snapshot says so already.
  const resume = () => void handle.resume().catch(() => {})
  const discard = () => void handle.discard().catch(() => {})
  return (
    <li>
      {operation}
      <p role="status">{describe(snapshot)}</p>
      {isSafe && (
        <button type="button" onClick={resume}>
          Send it again
        </button>
      )}
      {isOpen && (
        <button type="button" onClick={discard}>
          Forget it
        </button>
      )}
    </li>
  )
}
