import { useSyncExternalStore } from 'react'
import type { Lane, SendonceEvent } from 'sendonce'
import { createTimeline } from 'sendonce'
import type { Entry, Load, Noted } from './notebook.ts'
import { here, openNotebook } from './notebook.ts'
import { onceInAWhile } from './once-in-a-while.ts'

export type ShopName = 'sendonce' | 'plain'

/** What is known of the pages that were ever open here. */
export interface Journal {
  readonly lanes: { readonly [shop in ShopName]: readonly Lane<Noted>[] }
  /** Loads of pages, oldest first. */
  readonly loads: readonly Load[]
  /** Pages that are gone. */
  readonly left: ReadonlySet<string>
  /** In the order in which they were first seen: the number of a tab is its place. */
  readonly tabs: readonly string[]
  /** The last characters of all keys, in the order in which they were first seen. */
  readonly keyTails: readonly string[]
}

/** One picture for each shop: both order the same carts. */
const timelines = { sendonce: createTimeline<Noted>(), plain: createTimeline<Noted>() }
const loads: Load[] = []
const left = new Set<string>()
const tabs = new Set<string>()
const keyTails = new Set<string>()

const listeners = new Set<() => void>()
let journal: Journal | undefined

const tell = onceInAWhile(() => {
  journal = undefined
  for (const listener of listeners) listener()
})

function take(entry: Entry): void {
  tabs.add(entry.tab)
  if (entry.is === 'left') left.add(entry.page)
  if (entry.is === 'loaded') loads.push(entry)
  if (entry.is === 'event') {
    const { event, tab, page, shop } = entry
    if (event.keyTail) keyTails.add(event.keyTail)
    timelines[shop].hear({ ...event, tab, page })
  }
  tell()
}

const notebook = openNotebook(take)

/** Writes down that this page is here, and later that it is gone. */
export function beginJournal(): void {
  notebook.readAll()
  const [navigation] = performance.getEntriesByType('navigation')
  const reload = (navigation as PerformanceNavigationTiming | undefined)?.type === 'reload'
  notebook.write({ is: 'loaded', reload, at: Date.now(), ...here })
  // What comes back from the back-forward cache is read again, and was never gone.
  addEventListener('pagehide', ({ persisted }) => {
    if (!persisted) notebook.write({ is: 'left', at: Date.now(), ...here })
  })
}

/** Writes nothing any more: what is thrown away must not come back with the last words of a page. */
export function closeJournal(): void {
  notebook.close()
}

export function noteEvent(shop: ShopName, event: SendonceEvent): void {
  notebook.write({ is: 'event', shop, event, at: event.at, ...here })
}

/** All pages' entries, put in order. The same object until something is told. */
export function useJournal(): Journal {
  return useSyncExternalStore(subscribe, read)
}

function read(): Journal {
  journal ??= {
    lanes: { sendonce: timelines.sendonce.getSnapshot(), plain: timelines.plain.getSnapshot() },
    loads: [...loads],
    left: new Set(left),
    tabs: [...tabs],
    keyTails: [...keyTails],
  }
  return journal
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
