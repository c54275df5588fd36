import type { Lane } from 'sendonce'
import type { Delivery, Order } from 'sendonce/testing'
import type { Journal, ShopName } from './journal.ts'
import { TAIL_LENGTH } from './key-tag.tsx'
import { PLAIN_ORDERS_PATH } from './mock/server.ts'
import type { ServerView } from './mock/view.ts'
import type { Noted } from './notebook.ts'
import type { LaneEnding } from './wire-ending.ts'
import { endingOf } from './wire-ending.ts'
import { wordsFor } from './wire-words.ts'

/** One operation of one shop, from its first attempt on, as it is drawn. */
export interface Track {
  readonly shop: ShopName
  readonly operation: string
  /** So many steps came before those that are drawn. */
  readonly earlier: number
  readonly steps: readonly Mark[]
  readonly ending: LaneEnding
  /** What the server really did for it. */
  readonly orders: readonly Order[]
}

export type Mark = Attempt | { readonly is: 'reload' | 'given-up'; readonly at: number }

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

interface Named {
  readonly shop: ShopName
  readonly lane: Lane<Noted>
}

/** More than anybody looks at; the newest are drawn. */
const MAX_MARKS = 24

/** All lanes on which something was sent. Newest cart first, both shops' lanes of a cart together. */
export function lanesOf(journal: Journal): readonly Named[] {
  const { sendonce, plain } = journal.lanes
  const named = [
    ...sendonce.map(lane => ({ shop: 'sendonce' as const, lane })),
    ...plain.map(lane => ({ shop: 'plain' as const, lane })),
  ].filter(({ lane }) => lane.steps.some(({ is }) => is === 'attempt'))
  const newest = new Map<string, number>()
  for (const { lane } of named) {
    const { operation, startedAt } = lane
    newest.set(operation, Math.max(startedAt, newest.get(operation) ?? 0))
  }
  const begun = ({ lane }: Named) => newest.get(lane.operation) ?? 0
  return named.sort(
    (a, b) =>
      begun(b) - begun(a) || compare(a.lane.operation, b.lane.operation) || compare(b.shop, a.shop),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** What the server saw, joined with what the pages did. A track that is as it was is the same object. */
export function tracksOf(
  lanes: readonly Named[],
  journal: Journal,
  view: ServerView,
): readonly Track[] {
  const deliveries = grouped(view.deliveries, nameOf)
  const orders = grouped(view.orders, ({ shop, operation }) => `${shop} ${operation}`)
  return lanes.map(({ shop, lane }) => {
    const name = `${shop} ${lane.operation}`
    const sources = [lane, ...(deliveries.get(name) ?? []), ...(orders.get(name) ?? [])]
    const pages = `${journal.loads.length} ${journal.left.size} ${journal.tabs.length}`
    const known = drawn.get(name)
    if (known?.pages === pages && isEqual(known.sources, sources)) return known.track
    const track = trackOf(
      { shop, lane },
      deliveries.get(name) ?? [],
      orders.get(name) ?? [],
      journal,
    )
    drawn.set(name, { sources, pages, track })
    return track
  })
}

const drawn = new Map<
  string,
  { readonly sources: readonly unknown[]; readonly pages: string; readonly track: Track }
>()

function grouped<T>(rows: readonly T[], nameOf: (row: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const name = nameOf(row)
    const group = groups.get(name)
    if (group) group.push(row)
    else groups.set(name, [row])
  }
  return groups
}

function isEqual(old: readonly unknown[], next: readonly unknown[]): boolean {
  return old.length === next.length && old.every((each, index) => each === next[index])
}

/** The header is for this picture: the key alone would do, but plain fetch has none. */
function nameOf({ path, headers }: Delivery): string {
  return `${path === PLAIN_ORDERS_PATH ? 'plain' : 'sendonce'} ${headers['x-operation']}`
}

function trackOf(
  { shop, lane }: Named,
  arrived: readonly Delivery[],
  ordered: readonly Order[],
  { loads, left, tabs }: Journal,
): Track {
  const sent = lane.steps.filter(step => step.is === 'attempt')
  const startedAt = sent[0]?.at ?? 0
  const orders = ordered.filter(({ at }) => at >= startedAt)
  const attempts = sent.map(({ at, sent: event, ended }, index): Attempt => {
    const next = sent[index + 1]?.at ?? Number.POSITIVE_INFINITY
    const arrivals = arrived.filter(delivery => delivery.at >= at && delivery.at < next)
    const gone = !ended && left.has(event.page)
    const answered = ended?.type === 'answered' && arrivals.at(-1)?.reply.is !== 'cut'
    const order = orders.find(({ delivery }) => arrivals.some(({ number }) => number === delivery))
    const before = sent[index - 1]?.sent.tab ?? event.tab
    return {
      is: 'attempt',
      at,
      keyTail: event.keyTail ?? arrivals.at(-1)?.token?.slice(-TAIL_LENGTH),
      // A question about an order goes to another address.
      arrived: arrivals.length > 0 || answered,
      heard: answered ? 'answer' : ended || gone ? 'nothing' : 'not-yet',
      said: wordsFor(arrivals, ended, gone),
      order,
      again: orders.some(other => order && other.key === order.key && other.at < order.at),
      tab: before === event.tab ? undefined : tabs.indexOf(event.tab) + 1,
    }
  })

  const events = lane.steps.flatMap(step => (step.is === 'event' ? [step.event] : [step.sent]))
  const own = new Set(events.map(({ tab }) => tab))
  const ending = endingOf(lane, shop, left)
  const over = ['succeeded', 'refused', 'given-up'].includes(ending.is)
  const lastAt = over ? lane.latest.at : Number.POSITIVE_INFINITY
  const marks: Mark[] = [
    ...attempts,
    ...loads
      .filter(({ reload, tab, at }) => reload && own.has(tab) && at > startedAt && at < lastAt)
      .map(({ at }) => ({ is: 'reload' as const, at })),
    ...events
      .filter(({ type }) => type === 'discarded')
      .map(({ at }) => ({ is: 'given-up' as const, at })),
  ].sort((a, b) => a.at - b.at)
  return {
    shop,
    operation: lane.operation,
    earlier: Math.max(0, marks.length - MAX_MARKS),
    steps: marks.slice(-MAX_MARKS),
    ending,
    orders,
  }
}
