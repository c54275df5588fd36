import type { SendonceEvent } from 'sendonce'
import type { ShopName } from './journal.ts'
import { forgetStored, PREFIX, storedTexts } from './stored.ts'

interface Where {
  /** Survives a reload; a second tab has its own. */
  readonly tab: string
  /** One load of the page. */
  readonly page: string
}

/** What happened in the pages, as far as the wire draws it. */
export type Entry = { readonly at: number } & Where &
  (
    | { readonly is: 'loaded'; readonly reload: boolean }
    | { readonly is: 'left' }
    | { readonly is: 'event'; readonly shop: ShopName; readonly event: SendonceEvent }
  )

export type Load = Extract<Entry, { is: 'loaded' }>

/** An event of the client, and where it was heard. */
export type Noted = SendonceEvent & Where

/** Entries are kept in leaves of so many, so that writing one never means to write all of them again. */
const ENTRIES_OF_A_LEAF = 50
/** Older leaves go beyond this many: some 5,000 entries. */
const MAX_LEAVES = 100
const LEAVES = 'journal:'
const TAB = `${PREFIX}tab`

export const here: Where = { tab: tabName(), page: `${Date.now()}-${shortId()}` }

/**
 * Leaves of a page are written by that page alone: two tabs never write over each other. In localStorage, because what
 * happened just before a reload has to be there after it. `take` hears of every entry of every tab once.
 */
export function openNotebook(take: (entry: Entry) => void): {
  readAll(): void
  write(entry: Entry): void
  close(): void
} {
  /** How many entries of a leaf were taken. */
  const taken = new Map<string, number>()
  let leaf: Entry[] = []
  let number = 0
  let closed = false

  const entriesOf = (name: string, text: string): readonly Entry[] => {
    const entries = JSON.parse(text) as readonly Entry[]
    const fresh = entries.slice(taken.get(name) ?? 0)
    taken.set(name, entries.length)
    return fresh
  }

  return {
    readAll() {
      const before = [...storedTexts(LEAVES)].flatMap(([name, text]) => entriesOf(name, text))
      for (const entry of before.sort((a, b) => a.at - b.at)) take(entry)
      addEventListener('storage', ({ key, newValue }) => {
        if (!newValue || !key?.startsWith(PREFIX + LEAVES)) return
        for (const entry of entriesOf(key.slice(PREFIX.length), newValue)) take(entry)
      })
    },
    write(entry) {
      if (closed) return
      if (leaf.length === ENTRIES_OF_A_LEAF) {
        leaf = []
        number += 1
      }
      if (leaf.length === 0) {
        forgetStored([...storedTexts(LEAVES).keys()].sort().slice(0, -MAX_LEAVES))
      }
      leaf.push(entry)
      const name = `${PREFIX}${LEAVES}${here.page}:${String(number).padStart(4, '0')}`
      localStorage.setItem(name, JSON.stringify(leaf))
      take(entry)
    },
    close() {
      closed = true
    },
  }
}

function tabName(): string {
  const name = sessionStorage.getItem(TAB) ?? shortId()
  sessionStorage.setItem(TAB, name)
  return name
}

function shortId(): string {
  return Math.random().toString(36).slice(2, 8)
}
