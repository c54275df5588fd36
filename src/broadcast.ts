import type { Platform, Stop } from './platform.ts'

/** What tabs tell each other: a hint to look, never the news itself. */
export type Message =
  | { readonly scope: string; readonly operation: string }
  /** This scope has signed out. */
  | { readonly scope: string; readonly forgotten: true }

export interface Broadcast {
  post(message: Message): void
  close: Stop
}

/**
 * A channel between the clients of one name; what does not look like a message is not heard. `sentAt`: what the wall
 * clock said when a message was posted, or NaN.
 */
export function openBroadcast(
  platform: Platform,
  name: string,
  hear: (message: Message, sentAt: number) => void,
): Broadcast {
  const channel = platform.channel(`sendonce:${name}`, message => {
    if (isMessage(message)) hear(message, Number(message.sentAt))
  })
  return {
    ...channel,
    post: message => channel.post({ ...message, sentAt: platform.now() }),
  }
}

function isMessage(value: unknown): value is Message & { readonly sentAt?: unknown } {
  const { scope, operation, forgotten } = (value ?? {}) as Record<string, unknown>
  return typeof scope === 'string' && (typeof operation === 'string' || forgotten === true)
}
