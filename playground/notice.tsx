import type { ReactElement } from 'react'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Snapshot, UnsettledOperation } from 'sendonce'
import { describe } from 'sendonce'
import { useOperation } from './use-operation.ts'
import { cartOf, times } from './words.ts'

/** An operation that was found unsettled when the page loaded: what is known, what is not, and what can be done. */
export function Notice({
  found,
  onClose,
}: {
  readonly found: UnsettledOperation
  readonly onClose: () => void
}): ReactElement {
  const { operation } = found
  const { handle, snapshot } = useOperation(operation)
  const [problem, setProblem] = useState('')
  const primary = useRef<HTMLButtonElement>(null)
  const section = useRef<HTMLElement>(null)
  const { title, text, stage } = wordsFor(snapshot, cartOf(operation))

  // As high as it ever was at this width: shorter words must not pull the page up.
  useLayoutEffect(() => {
    const { current } = section
    if (!current) return
    let width = 0
    const observer = new ResizeObserver(() => {
      if (current.offsetWidth !== width) current.style.minBlockSize = ''
      width = current.offsetWidth
      current.style.minBlockSize = `${current.offsetHeight}px`
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [])

  // Once there, its place stays.
  const [recovers, setRecovers] = useState(false)
  if (!recovers && snapshot.state === 'unknown' && snapshot.recoverable) setRecovers(true)

  const attempt = (work: () => Promise<unknown>) => {
    setProblem('')
    work().catch(() => setProblem('It is on its way just now: wait for its outcome.'))
  }

  const asks = stage === 'open' || stage === 'stuck'
  // Two buttons go away, whoever pressed what, and the focus must not go with them. Looked at now: then it is gone.
  const hasFocus = section.current?.contains(document.activeElement) === true
  useLayoutEffect(() => {
    if (!asks && hasFocus) primary.current?.focus()
  })

  return (
    <section
      ref={section}
      className="notice"
      data-stage={stage}
      aria-label="An order that was not settled"
    >
      <div role="status">
        <h2 key={title}>{title}</h2>
        <p key={problem || text}>{problem || text}</p>
      </div>
      <div className="actions">
        <button
          ref={primary}
          type="button"
          className="primary"
          aria-disabled={stage === 'busy'}
          onClick={() => {
            if (stage === 'open') attempt(() => handle.resume())
            if (stage === 'over' || stage === 'stuck') onClose()
          }}
        >
          <span key={stage}>{LABELS[stage]}</span>
        </button>
        {recovers && (
          <Aside shown={asks} run={() => attempt(() => handle.recover())}>
            Ask the shop
          </Aside>
        )}
        <Aside shown={asks} run={() => attempt(() => handle.discard())}>
          Forget it
        </Aside>
      </div>
    </section>
  )
}

/** A button that comes and goes, and keeps its place. */
function Aside(props: {
  readonly shown: boolean
  readonly run: () => void
  readonly children: string
}): ReactElement {
  const { shown, run, children } = props
  return (
    <button type="button" className="secondary" hidden={!shown} onClick={run}>
      {children}
    </button>
  )
}

const LABELS = { open: 'Send it again', stuck: 'Close', busy: 'Sending…', over: 'Close' } as const

interface Words {
  readonly title: string
  readonly text: string
  /** `stuck`: sending it again is not safe. */
  readonly stage: 'open' | 'stuck' | 'busy' | 'over'
}

function wordsFor(snapshot: Snapshot<unknown>, cart: string): Words {
  switch (snapshot.state) {
    case 'unknown': {
      return {
        stage: snapshot.resumable ? 'open' : 'stuck',
        title: 'We don’t know yet whether your order went through.',
        text: snapshot.resumable
          ? `The order of ${cart} was sent ${times(snapshot.attempts)}, and no answer got here before this page was gone. Sending it again is safe: the shop knows it again, and will not take it twice.`
          : describe(snapshot),
      }
    }
    case 'paused':
      return {
        stage: 'open',
        title: 'Your order is on hold.',
        text: `${describe(snapshot)} It is the order of ${cart}.`,
      }
    case 'succeeded':
      return {
        stage: 'over',
        title: 'Your order went through, once.',
        text:
          snapshot.from === 'recover'
            ? `The shop was asked, and has the order of ${cart}, once.`
            : `The shop has the order of ${cart}. It was sent ${times(snapshot.attempts)}, and taken once.`,
      }
    case 'refused':
      return {
        stage: 'over',
        title: 'The shop did not accept your order.',
        text: `Nothing was ordered of ${cart}. What you typed is still in the form.`,
      }
    case 'idle':
      return {
        stage: 'over',
        title: 'Forgotten.',
        text: `If the shop did take the order of ${cart}, it still has it. Ordering again is a second order, with a key of its own.`,
      }
    default:
      return { stage: 'busy', title: 'Asking the shop again…', text: describe(snapshot) }
  }
}
