let online = true

/** Lets pages believe what the mock network says: a service worker answers without any network, and the browser knows. */
export function pretendOnline(next: boolean): void {
  if (next === online) return
  online = next
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online })
  dispatchEvent(new Event(online ? 'online' : 'offline'))
}
