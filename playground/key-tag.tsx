import type { ReactElement } from 'react'
import { createContext, use } from 'react'
import type { Entry } from './journal.ts'

/** How many colours styles/base.css has for keys. */
const COLOURS = 6
/** As many as the events of the client show. */
const TAIL_LENGTH = 6

/** The number of each key's colour, by its tail, in the order in which keys were first sent. */
export const KeyColours = createContext<ReadonlyMap<string, number>>(new Map())

export function keyColours(journal: readonly Entry[]): ReadonlyMap<string, number> {
  const tails = journal.flatMap(entry => (entry.is === 'event' && entry.event.keyTail) || [])
  return new Map([...new Set(tails)].map((tail, index) => [tail, (index % COLOURS) + 1]))
}

/** The CSS value of a key's colour; grey where there is no key. */
export function useKeyColour(): (key: string | undefined) => string {
  const colours = use(KeyColours)
  return key => {
    const number = key && colours.get(key.slice(-TAIL_LENGTH))
    return number ? `var(--key-${number})` : 'var(--no-key)'
  }
}

/** A key as its colour and its last characters. */
export function KeyTag({ value }: { readonly value: string | undefined }): ReactElement {
  const colour = useKeyColour()
  return (
    <span className="key-tag" style={{ '--key': colour(value) }}>
      {value ? `…${value.slice(-TAIL_LENGTH)}` : 'no key'}
    </span>
  )
}
