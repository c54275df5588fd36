import type { ReactElement } from 'react'
import { useEffect, useRef } from 'react'
import type { Snapshot } from 'sendonce'
import { secondsUntil, useNow } from './clock.ts'
import type { Entry } from './journal.ts'
import { KeyTag, useKeyColour } from './key-tag.tsx'
import { useServer } from './mock/view.ts'
import { useOperation } from './use-operation.ts'
import type { Attempt, Lane, LaneEnding, Step } from './wire-model.ts'
import { lanesOf } from './wire-model.ts'
import { cartOf, orders } from './words.ts'

/** What the server saw, one lane for each operation, one mark for each attempt. */
export function Wire({ journal }: { readonly journal: readonly Entry[] }): ReactElement {
  const lanes = lanesOf(journal, useServer())
  return (
    <section className="card wire" aria-labelledby="wire-title">
      <header className="row">
        <h2 id="wire-title">The wire</h2>
        <Legend />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and not every browser lets the keyboard in by itself */}
      <section className="scroll" tabIndex={0} aria-label="Orders on the wire, newest first">
        {lanes.map(lane => (
          <LaneView key={`${lane.shop} ${lane.operation}`} lane={lane} />
        ))}
        {lanes.length === 0 && (
          <p className="empty">
            Nothing has been sent. Order something in both shops: every request draws a mark here,
            in the colour of its key.
          </p>
        )}
      </section>
    </section>
  )
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

function LaneView({ lane }: { readonly lane: Lane }): ReactElement {
  const { shop, operation, steps } = lane
  const { snapshot } = useOperation(operation)
  const ending = (shop === 'sendonce' && endingNow(snapshot)) || lane.ending
  const attempts = steps.filter(step => step.is === 'attempt')
  const keys = new Set(attempts.flatMap(({ keyTail }) => keyTail ?? []))
  const colour = useKeyColour()
  const track = useRef<HTMLOListElement>(null)
  const count = steps.length

  // What happens now is at the end.
  useEffect(() => {
    if (count > 0) track.current?.scrollTo({ left: track.current.scrollWidth })
  }, [count])

  return (
    <article className="lane" data-shop={shop} data-ending={ending.is}>
      <h3>
        {cartOf(operation)} <span>{shop === 'plain' ? 'plain fetch' : 'sendonce'}</span>
      </h3>
      <p className="used">
        {keys.size === 0 && <KeyTag value={undefined} />}
        {[...keys].map(key => (
          <KeyTag key={key} value={key} />
        ))}
      </p>
      <ol ref={track} className="track">
        {steps.map((step, index) => (
          <StepView
            key={`${step.is} ${step.at}`}
            step={step}
            gapS={(step.at - (steps[index - 1] ?? step).at) / 1_000}
            colour={step.is === 'attempt' ? colour(step.keyTail) : ''}
          />
        ))}
        <Ending ending={ending} colour={colour(attempts.at(-1)?.keyTail)} />
      </ol>
      <p className="placed" data-again={attempts.some(({ again }) => again)}>
        {orders(lane.orders.length)}
      </p>
    </article>
  )
}

interface StepViewProps<S = Step> {
  readonly step: S
  /** Since the step before, in seconds. */
  readonly gapS: number
  readonly colour: string
}

/** A gap that is long enough to be read has its length written over it. */
const READABLE_GAP_S = 3

function StepView({ step, gapS, colour }: StepViewProps): ReactElement {
  const style = { '--gap': gapS, '--key': colour }
  return (
    <li className={step.is === 'attempt' ? 'attempt' : 'turn'} style={style}>
      {gapS >= READABLE_GAP_S && <span className="gap">{lengthOf(gapS)}</span>}
      {step.is === 'attempt' ? (
        <AttemptView attempt={step} />
      ) : (
        <span className="name">{step.is === 'reload' ? 'reload' : 'given up'}</span>
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

/** What the client says goes before what its events said last: it knows of a wait that was resumed. */
function endingNow(snapshot: Snapshot<unknown>): LaneEnding | undefined {
  switch (snapshot.state) {
    case 'waiting':
      if (snapshot.reason === 'other-tab') return { is: 'under-way' }
      return {
        is: 'waiting',
        until: snapshot.reason === 'offline' ? undefined : snapshot.nextAttemptAt,
      }
    case 'sending':
      return { is: 'under-way' }
    case 'unknown':
      return { is: 'unknown' }
    default:
      return undefined
  }
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
