import type { ReactElement } from 'react'
import { memo, useEffect, useRef, useState } from 'react'
import { secondsUntil, useNow } from './clock.ts'
import { KeyTag, useKeyColour } from './key-tag.tsx'
import { useOperation } from './use-operation.ts'
import type { LaneEnding } from './wire-ending.ts'
import { endingNow } from './wire-ending.ts'
import type { Attempt, Mark, Track } from './wire-model.ts'
import { cartOf, orders } from './words.ts'

/** One operation of one shop. Drawn again when it has changed, and not when others have. */
export const LaneView = memo(function LaneView({ track }: { readonly track: Track }): ReactElement {
  const { shop, operation, steps, earlier } = track
  const { ending } = track
  const attempts = steps.filter(step => step.is === 'attempt')
  const keys = new Set(attempts.flatMap(({ keyTail }) => keyTail ?? []))
  const colour = useKeyColour()
  const line = useRef<HTMLOListElement>(null)
  const last = colour(attempts.at(-1)?.keyTail)
  const [scrolls, setScrolls] = useState(false)
  const count = steps.length

  // What happens now is at the end, however wide the window is.
  useEffect(() => {
    const { current } = line
    if (!current || count === 0) return
    const look = () => setScrolls(current.scrollWidth > current.clientWidth)
    const whole = new ResizeObserver(() => {
      current.scrollTo({ left: current.scrollWidth })
      look()
    })
    whole.observe(current)
    // Its words change, and where a person has scrolled to stays.
    const end = new ResizeObserver(look)
    if (current.lastElementChild) end.observe(current.lastElementChild)
    return () => {
      whole.disconnect()
      end.disconnect()
    }
  }, [count])

  return (
    <article className="lane" data-shop={shop}>
      <h3>
        {cartOf(operation)} <span>{shop === 'plain' ? 'plain fetch' : 'sendonce'}</span>
      </h3>
      <p className="used">
        {keys.size === 0 && <KeyTag value={undefined} />}
        {[...keys].map(key => (
          <KeyTag key={key} value={key} />
        ))}
      </p>
      <ol ref={line} className="track" tabIndex={scrolls ? 0 : undefined}>
        {earlier > 0 && <li className="earlier">{earlier} earlier</li>}
        {steps.map((step, index) => (
          <MarkView
            key={`${step.is} ${step.at}`}
            step={step}
            gapS={(step.at - (steps[index - 1] ?? step).at) / 1_000}
            colour={step.is === 'attempt' ? colour(step.keyTail) : ''}
          />
        ))}
        {/* At the end of a longer line it is another one, not one that was moved. */}
        {shop === 'plain' || isOver(ending) ? (
          <Ending key={count} ending={ending} colour={last} />
        ) : (
          <LiveEnding key={count} operation={operation} ending={ending} colour={last} />
        )}
      </ol>
      <p className="placed" data-again={attempts.some(({ again }) => again)}>
        <span key={track.orders.length}>{orders(track.orders.length)}</span>
      </p>
    </article>
  )
})

interface MarkViewProps {
  readonly step: Mark
  /** Since the step before, in seconds. */
  readonly gapS: number
  readonly colour: string
}

/** A gap that is long enough to be read has its length written over it. */
const READABLE_GAP_S = 3

const NAMES = { reload: 'reload', 'given-up': 'given up' } as const

function MarkView({ step, gapS, colour }: MarkViewProps): ReactElement {
  const style = { '--gap': gapS, '--key': colour }
  const isTimed = gapS >= READABLE_GAP_S
  return (
    <li
      className={step.is === 'attempt' ? 'attempt' : 'turn'}
      data-timed={isTimed || undefined}
      style={style}
    >
      {isTimed && <span className="gap">{lengthOf(gapS)}</span>}
      {step.is === 'attempt' ? (
        <AttemptView attempt={step} />
      ) : (
        <span className="name">{NAMES[step.is]}</span>
      )}
    </li>
  )
}

function AttemptView({ attempt }: { readonly attempt: Attempt }): ReactElement {
  const { order, again, arrived, heard, said, tab } = attempt
  return (
    <>
      <span className="above">
        {order && (
          <b className="stamp" data-again={again}>
            {order.id}
          </b>
        )}
        {tab && `tab ${tab}`}
      </span>
      <i className="mark" data-arrived={arrived} data-heard={heard} />
      <span className="said">{said}</span>
    </>
  )
}

function lengthOf(seconds: number): string {
  return seconds < 100 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`
}

const ENDINGS: { readonly [is in Exclude<LaneEnding['is'], 'waiting'>]: string } = {
  'under-way': '',
  unknown: 'nobody knows yet',
  'on-hold': 'on hold',
  'given-up': '',
  refused: '',
  succeeded: '',
  blamed: '“please try again”',
}

function isOver({ is }: LaneEnding): boolean {
  return is === 'succeeded' || is === 'refused' || is === 'given-up'
}

/** What the client says goes before what its events said last: it knows of a wait that was resumed. */
function LiveEnding(props: {
  readonly operation: string
  readonly ending: LaneEnding
  readonly colour: string
}): ReactElement {
  const { operation, ending, colour } = props
  const { snapshot } = useOperation(operation)
  return <Ending ending={endingNow(snapshot) ?? ending} colour={colour} />
}

function Ending(props: { readonly ending: LaneEnding; readonly colour: string }): ReactElement {
  const { ending, colour } = props
  const until = ending.is === 'waiting' ? ending.until : undefined
  const now = useNow(until !== undefined)
  const text =
    ending.is !== 'waiting'
      ? ENDINGS[ending.is]
      : until === undefined
        ? 'waiting for the connection'
        : `again in ${secondsUntil(until, now)} s`
  return (
    <li className="ending" data-is={ending.is} style={{ '--key': colour }}>
      <span className="next">{text}</span>
    </li>
  )
}
