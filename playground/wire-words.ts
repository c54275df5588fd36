import type { SendonceEvent } from 'sendonce'
import type { Delivery } from 'sendonce/testing'

const STATUS_WORDS: Readonly<Record<number, string>> = {
  409: '“working on it”',
  422: 'not accepted',
  500: '“broken”',
  503: '“come back later”',
}

/** What came back of an attempt, as a person would say it. */
export function wordsFor(
  arrivals: readonly Delivery[],
  ended: SendonceEvent | undefined,
  gone: boolean,
): string {
  const arrival = arrivals.at(-1)
  if (ended?.type === 'answered') {
    if (!arrival) return 'asked the shop'
    if (arrival.reply.is === 'cut') return 'reply cut short'
    if (arrival.effect === 'replayed') return 'the same reply again'
    return STATUS_WORDS[ended.status] ?? (ended.status < 300 ? 'accepted' : 'not accepted')
  }
  if (!arrival) return ended || gone ? 'never arrived' : 'on its way'
  if (!ended && !gone) return 'on its way'
  if (arrival.fault?.is === 'lose-request') return 'request lost'
  if (arrival.reply.is === 'cut') return 'reply cut short'
  if (arrival.reply.is === 'lost') return 'reply lost'
  if (gone) return 'nobody there to hear'
  return 'no reply'
}
