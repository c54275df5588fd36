import type { ReactElement } from 'react'
import { useState } from 'react'
import { useJournal } from './journal.ts'
import { useServer } from './mock/view.ts'
import { LaneView } from './wire-lane.tsx'
import { lanesOf, tracksOf } from './wire-model.ts'

/** As many lanes as fit into the window that they are looked at through, and some more on both sides. */
const DRAWN = 16
const BEFORE = 5
/** Scrolling draws anew after so many. */
const GRAIN = 4

/** What the server saw, one lane for each operation, one mark for each attempt. */
export function Wire(): ReactElement {
  const journal = useJournal()
  const view = useServer()
  const [first, setFirst] = useState(0)
  const all = lanesOf(journal)
  const begin = Math.min(first, Math.max(0, all.length - DRAWN))
  const tracks = tracksOf(all.slice(begin, begin + DRAWN), journal, view)
  return (
    <section className="card wire" aria-labelledby="wire-title">
      <header className="row">
        <h2 id="wire-title">The wire</h2>
        <Legend />
      </header>
      <section
        className="scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and not every browser lets the keyboard in by itself
        tabIndex={0}
        aria-label="Orders on the wire, newest first"
        onScroll={({ currentTarget: { scrollTop, scrollHeight } }) => {
          // All lanes are of one height.
          const at = (scrollTop / scrollHeight) * all.length - BEFORE
          setFirst(Math.max(0, Math.floor(at / GRAIN) * GRAIN))
        }}
      >
        <Undrawn count={begin} />
        {tracks.map(track => (
          <LaneView key={`${track.shop} ${track.operation}`} track={track} />
        ))}
        <Undrawn count={all.length - begin - tracks.length} />
        {all.length === 0 && (
          <p className="empty">
            Nothing has been sent. Order something in both shops: every request draws a mark here,
            in the colour of its key.
          </p>
        )}
      </section>
    </section>
  )
}

/** The place of lanes that nobody looks at. */
function Undrawn({ count }: { readonly count: number }): ReactElement | null {
  return count > 0 ? <div className="undrawn" style={{ '--count': count }} /> : null
}

function Legend(): ReactElement {
  return (
    <ul className="legend" aria-label="What the marks mean">
      <li>
        <i className="mark" data-heard="answer" /> answered
      </li>
      <li>
        <i className="mark" data-heard="nothing" /> no answer
      </li>
      <li>
        <i className="stamp" /> order placed
      </li>
    </ul>
  )
}
