import type { SendonceEvent } from 'sendonce'
import type { Delivery, Order } from 'sendonce/testing'
import type { Entry, ShopName } from './journal.ts'
import { ORDERS_PATH } from './mock/server.ts'
import type { ServerView } from './mock/view.ts'

/** One operation of one shop, from its first attempt on. */
export interface Lane {
  readonly shop: ShopName
  readonly operation: string
  readonly startedAt: number
  readonly steps: readonly Step[]
  readonly ending: LaneEnding
  /** What the server really did for it. */
  readonly orders: readonly Order[]
}

export type Step = Attempt | { readonly is: 'reload' | 'given-up'; readonly at: number }

/** One request of a page, and what the server saw of it: nothing, one arrival, or several. */
export interface Attempt {
  readonly is: 'attempt'
  readonly at: number
  readonly keyTail: string | undefined
  readonly arrived: boolean
  /** By the page that asked. */
  readonly heard: 'answer' | 'nothing' | 'not-yet'
  readonly said: string
  /** The order that this very attempt placed. */
  readonly order: Order | undefined
  /** There was one already, under the same key or without any. */
  readonly again: boolean
  /** The number of the tab, where it is another one than that of the step before. */
  readonly tab: number | undefined
}

export type LaneEnding =
  | { readonly is: 'waiting'; readonly until: number | undefined }
  | { readonly is: 'under-way' | 'unknown' | 'on-hold' | 'given-up' | 'refused' | 'succeeded' }
  /** Plain fetch: the page has told the person that it went wrong, and does not know. */
  | { readonly is: 'blamed' }

type Happening = Extract<Entry, { is: 'event' }>

/** What the server saw, joined with what the pages did. Newest first, both shops' lanes of a cart together. */
export function lanesOf(journal: readonly Entry[], view: ServerView): Lane[] {
  const happenings = journal.filter((entry): entry is Happening => entry.is === 'event')
  const groups = new Map<string, Happening[]>()
  for (const happening of happenings) {
    const name = `${happening.shop} ${happening.event.operation}`
    groups.set(name, [...(groups.get(name) ?? []), happening])
  }
  const tabs = [...new Set(journal.map(entry => entry.tab))]
  const lanes = [...groups.values()].flatMap(group => laneOf(group, journal, view, tabs) ?? [])
  const newest = (operation: string) =>
    Math.max(...lanes.filter(lane => lane.operation === operation).map(lane => lane.startedAt))
  return lanes.sort(
    (a, b) => newest(b.operation) - newest(a.operation) || b.shop.localeCompare(a.shop),
  )
}

function laneOf(
  group: readonly Happening[],
  journal: readonly Entry[],
  view: ServerView,
  tabs: readonly string[],
): Lane | undefined {
  const sent = group.filter(({ event }) => event.type === 'sent')
  const [first] = sent
  if (!first) return undefined
  const { shop, event } = first
  const { operation } = event
  const left = new Set(journal.flatMap(entry => (entry.is === 'left' ? [entry.page] : [])))
  const deliveries = view.deliveries.filter(delivery => isOf(delivery, shop, operation))
  const orders = view.orders.filter(
    order => order.shop === shop && order.operation === operation && order.at >= first.at,
  )

  const attempts = sent.map((entry, index): Attempt => {
    const next = sent[index + 1]?.at ?? Number.POSITIVE_INFINITY
    const arrivals = deliveries.filter(({ at }) => at >= entry.at && at < next)
    const end = group.find(
      ({ at, page, event: { type } }) =>
        page === entry.page &&
        at >= entry.at &&
        at <= next &&
        (type === 'answered' || type === 'unanswered'),
    )
    const gone = !end && left.has(entry.page)
    const answered = end?.event.type === 'answered' && arrivals.at(-1)?.reply.is !== 'cut'
    const order = orders.find(({ delivery }) => arrivals.some(({ number }) => number === delivery))
    const { tab: before } = sent[index - 1] ?? entry
    return {
      is: 'attempt',
      at: entry.at,
      keyTail: entry.event.keyTail,
      arrived: arrivals.length > 0,
      heard: answered ? 'answer' : end || gone ? 'nothing' : 'not-yet',
      said: wordsFor(arrivals, end?.event, gone),
      order,
      again: orders.some(other => order && other.key === order.key && other.at < order.at),
      tab: before === entry.tab ? undefined : tabs.indexOf(entry.tab) + 1,
    }
  })

  const ending = endingOf(group, left)
  const over = ['succeeded', 'refused', 'given-up'].includes(ending.is)
  const lastAt = over ? (group.at(-1)?.at ?? 0) : Number.POSITIVE_INFINITY
  const own = new Set(group.map(entry => entry.tab))
  const reloads = journal.filter(
    entry =>
      entry.is === 'loaded' &&
      entry.reload &&
      own.has(entry.tab) &&
      entry.at > first.at &&
      entry.at < lastAt,
  )
  const given = group.filter(entry => entry.event.type === 'discarded')
  const steps: Step[] = [
    ...attempts,
    ...reloads.map(({ at }) => ({ is: 'reload' as const, at })),
    ...given.map(({ at }) => ({ is: 'given-up' as const, at })),
  ]
  return {
    shop,
    operation,
    startedAt: first.at,
    steps: steps.sort((a, b) => a.at - b.at),
    ending,
    orders,
  }
}

/** The header is for this picture: the key alone would do, but plain fetch has none. */
function isOf(delivery: Delivery, shop: ShopName, operation: string): boolean {
  return (
    (delivery.path === ORDERS_PATH) === (shop === 'sendonce') &&
    delivery.headers['x-operation'] === operation
  )
}

function endingOf(group: readonly Happening[], left: ReadonlySet<string>): LaneEnding {
  const last = group.findLast(({ event: { type } }) => type !== 'joined')
  if (!last) return { is: 'under-way' }
  const { event, page, shop } = last
  const gone = left.has(page)
  switch (event.type) {
    case 'succeeded':
    case 'refused':
    case 'unknown':
      return { is: event.type }
    case 'paused':
      return { is: 'on-hold' }
    case 'discarded':
      return { is: 'given-up' }
    case 'waiting':
      if (gone) return { is: 'unknown' }
      return { is: 'waiting', until: event.reason === 'offline' ? undefined : event.nextAttemptAt }
    case 'unanswered':
      return shop === 'plain' ? { is: 'blamed' } : { is: gone ? 'unknown' : 'under-way' }
    default:
      return { is: gone ? 'unknown' : 'under-way' }
  }
}

/** What came back, as a person would say it. */
function wordsFor(
  arrivals: readonly Delivery[],
  end: SendonceEvent | undefined,
  gone: boolean,
): string {
  const arrival = arrivals.at(-1)
  if (end?.type === 'answered') {
    if (arrival?.reply.is === 'cut') return 'reply cut short'
    if (arrival?.effect === 'replayed') return 'the same reply again'
    return STATUS_WORDS[end.status] ?? (end.status < 300 ? 'accepted' : 'not accepted')
  }
  if (!arrival) return end || gone ? 'never arrived' : 'on its way'
  if (!end && !gone) return 'on its way'
  if (arrival.fault?.is === 'lose-request') return 'request lost'
  if (arrival.reply.is === 'cut') return 'reply cut short'
  if (arrival.reply.is === 'lost') return 'reply lost'
  if (gone) return 'nobody there to hear'
  return 'no reply'
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  409: '“working on it”',
  422: 'not accepted',
  503: '“come back later”',
}
