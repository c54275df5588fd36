import type { Outcome, SendonceEvent } from 'sendonce'

/** What is counted, with whatever tells one count from another. Few values each: no operation, no key. */
export type Count = (name: string, attributes: Record<string, string>) => void

/** `checkout` of `checkout:cart-42`: the id of a thing makes a time series of its own. */
export const kindOf = (operation: string) => operation.split(':')[0] ?? operation

/** For `onEvent`: what happens on the way. */
export function hear(count: Count, event: SendonceEvent): void {
  const kind = kindOf(event.operation)
  switch (event.type) {
    // A second click, Enter held down: it met the first, and sent nothing.
    case 'joined':
      count('sendonce.duplicates_stopped', { kind, by: 'page' })
      break
    // The same key once more. Without a key it could have been a second order.
    case 'sent':
      if (event.attempt > 1) count('sendonce.repeats', { kind })
      break
    // No failure and no success. By reason, for each asks for something else.
    case 'unknown':
      count('sendonce.unknowns', { kind, reason: event.reason ?? '' })
  }
}

/** For what `submit` resolves with: who knew the answer. */
export function told(count: Count, outcome: Outcome<unknown>): void {
  if (outcome.state !== 'succeeded') return
  const kind = kindOf(outcome.operation)
  // Another tab, or a page before this one, had it done.
  if (outcome.from === 'store') count('sendonce.duplicates_stopped', { kind, by: 'store' })
  // The server recognised the key: a reply had been lost.
  if (outcome.from === 'replay') count('sendonce.replays', { kind })
}
