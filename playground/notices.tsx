import type { ReactElement } from 'react'
import { useState } from 'react'
import type { UnsettledOperation } from 'sendonce'
import { api } from './api.ts'
import { Notice } from './notice.tsx'

/** More of them one by one would be a wall between a person and the page. */
const MAX_ONE_BY_ONE = 3

interface NoticesProps {
  /** Those that nobody has closed. */
  readonly found: readonly UnsettledOperation[]
  readonly onClose: (closed: readonly UnsettledOperation[]) => void
}

/** What was found unsettled when the page loaded: the first thing on it. */
export function Notices({ found, onClose }: NoticesProps): ReactElement {
  if (found.length > MAX_ONE_BY_ONE) {
    return <ManyNotice found={found} onClose={() => onClose(found)} />
  }
  return (
    <>
      {found.map(each => (
        <Notice key={each.operation} found={each} onClose={() => onClose([each])} />
      ))}
    </>
  )
}

function ManyNotice(props: {
  readonly found: readonly UnsettledOperation[]
  readonly onClose: () => void
}): ReactElement {
  const { found, onClose } = props
  const [stage, setStage] = useState<'open' | 'busy' | 'over'>('open')
  const sendAll = async () => {
    setStage('busy')
    await Promise.allSettled(found.map(({ operation }) => api.operation(operation).resume()))
    setStage('over')
  }
  return (
    <section className="notice" data-stage={stage} aria-label="Orders that were not settled">
      <div role="status">
        <h2>{MANY_WORDS[stage].replace('#', String(found.length))}</h2>
        <p>
          Each of them has its own key. Sending them again is safe: what the shop has taken already,
          it will not take twice.
        </p>
      </div>
      <div className="actions">
        <button
          type="button"
          className="primary"
          aria-disabled={stage === 'busy'}
          onClick={() => {
            if (stage === 'open') void sendAll()
            if (stage === 'over') onClose()
          }}
        >
          <span key={stage}>
            {stage === 'over' ? 'Close' : stage === 'busy' ? 'Sending…' : 'Send them all again'}
          </span>
        </button>
      </div>
    </section>
  )
}

const MANY_WORDS = {
  open: 'We don’t know yet whether # of your orders went through.',
  busy: 'Asking the shop again, # times…',
  over: 'The shop was asked for all # of them.',
} as const
