import type { ReactElement, ReactNode } from 'react'
import { createContext, use, useMemo } from 'react'
import { useJournal } from './journal.ts'

/** How many colours styles/base.css has for keys. */
const COLOURS = 6
/** As many as the events of the client show. */
export const TAIL_LENGTH = 6

/** The number of each key's colour, by its tail, in the order in which keys were first sent. */
const Colours = createContext<ReadonlyMap<string, number>>(new Map())

export function KeyColours({ children }: { readonly children: ReactNode }): ReactElement {
  const { keyTails } = useJournal()
  // biome-ignore lint/correctness/useExhaustiveDependencies: keys are added at the end, and never go.
  const colours = useMemo(
    () => new Map(keyTails.map((tail, index) => [tail, (index % COLOURS) + 1])),
    [keyTails.length],
  )
  return <Colours value={colours}>{children}</Colours>
}

/** The CSS value of a key's colour; grey where there is no key. */
export function useKeyColour(): (key: string | undefined) => string {
  const colours = use(Colours)
  return key => {
    if (!key) return 'var(--no-key)'
    const tail = key.slice(-TAIL_LENGTH)
    return `var(--key-${colours.get(tail) ?? anyColour(tail)})`
  }
}

/** For what is no key of a client: a token, the name of a cart. */
function anyColour(tail: string): number {
  return ([...tail].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % COLOURS) + 1
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
