import { useSyncExternalStore } from 'react'
import type { SendonceEvent } from 'sendonce'
import { forgetStored, stored, storedTexts } from './stored.ts'

export type ShopName = 'sendonce' | 'plain'

/** What happened in the pages, as far as the wire draws it. */
export type Entry = { readonly at: number; readonly tab: string; readonly page: string } & (
  | { readonly is: 'loaded'; readonly reload: boolean }
  | { readonly is: 'left' }
  | { readonly is: 'event'; readonly shop: ShopName; readonly event: SendonceEvent }
)

/** Old pages leave the journal beyond this many. */
const MAX_PAGES = 24
const MAX_ENTRIES_OF_A_PAGE = 400
const TAB = 'sendonce-playground:tab'

/** Survives a reload; a second tab has its own. */
const tab = sessionStorage.getItem(TAB) ?? shortId()
sessionStorage.setItem(TAB, tab)

/** One load of the page. */
const page = `${Date.now()}-${shortId()}`

/**
 * One list for each page that was ever loaded, written by that page alone: two tabs never write over each other. Written
 * at once, so that what happened just before a reload is there after it.
 */
const mine = stored<readonly Entry[]>(`journal:${page}`, [])

type Noted<E = Entry> = E extends Entry ? Omit<E, 'at' | 'tab' | 'page'> : never

function note(what: Noted, at = Date.now()): void {
  mine.set([...mine.get(), { ...what, at, tab, page }].slice(-MAX_ENTRIES_OF_A_PAGE))
}

/** Writes down that this page is here, and later that it is gone. */
export function beginJournal(): void {
  const pages = [...storedTexts('journal:').keys()].sort()
  forgetStored(pages.slice(0, -MAX_PAGES))
  const [navigation] = performance.getEntriesByType('navigation')
  const reload = (navigation as PerformanceNavigationTiming | undefined)?.type === 'reload'
  note({ is: 'loaded', reload })
  addEventListener('pagehide', () => note({ is: 'left' }))
}

export function noteEvent(shop: ShopName, event: SendonceEvent): void {
  note({ is: 'event', shop, event }, event.at)
}

/** All pages' entries, in the order in which they happened. */
export function useJournal(): readonly Entry[] {
  return useSyncExternalStore(subscribe, read)
}

const parsed = new Map<string, { readonly text: string; readonly list: readonly Entry[] }>()
let entries: readonly Entry[] = []

function read(): readonly Entry[] {
  const texts = storedTexts('journal:')
  let changed = texts.size !== parsed.size
  for (const [name, text] of texts) {
    if (parsed.get(name)?.text === text) continue
    parsed.set(name, { text, list: JSON.parse(text) as readonly Entry[] })
    changed = true
  }
  for (const name of parsed.keys()) if (!texts.has(name)) parsed.delete(name)
  if (changed) {
    entries = [...parsed.values()].flatMap(({ list }) => list).sort((a, b) => a.at - b.at)
  }
  return entries
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener)
  const stop = mine.subscribe(listener)
  return () => {
    removeEventListener('storage', listener)
    stop()
  }
}

function shortId(): string {
  return Math.random().toString(36).slice(2, 8)
}
