import type { SendonceEvent } from 'sendonce'

/** What is counted, with whatever tells one count from another. Few values each: no operation, no key. */
export type Count = (name: string, attributes: Record<string, string>) => void

/** `checkout` of `checkout:cart-42`: the id of a thing makes a time series of its own. */
export const kindOf = (operation: string) => operation.split(':')[0] ?? operation

/** For `onEvent`. */
export function hear(count: Count, event: SendonceEvent): void {
  const kind = kindOf(event.operation)
  switch (event.type) {
    // A second click, Enter held down, another tab: it met the first, or its answer, and sent nothing.
    case 'joined':
      count('sendonce.duplicates_stopped', { kind })
      break
    // The same key once more. Without a key it could have been a second order.
    case 'sent':
      if (event.attempt > 1) count('sendonce.repeats', { kind })
      break
    // The server recognised the key: a reply had been lost.
    case 'succeeded':
      if (event.from === 'replay') count('sendonce.replays', { kind })
      break
    // No failure and no success. By reason, for each asks for something else.
    case 'unknown':
      count('sendonce.unknowns', { kind, reason: event.reason ?? '' })
  }
}
