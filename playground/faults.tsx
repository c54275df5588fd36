import type { ReactElement } from 'react'
import { useState } from 'react'
import { leave } from './case.ts'
import type { Wanted } from './mock/faults.ts'
import { choice, choose, FAULTS, isToCome } from './mock/faults.ts'
import { useServer } from './mock/view.ts'
import { useStored } from './stored.ts'

/** What goes wrong next, and the two things that a person does about it. */
export function Faults(): ReactElement {
  const { deliveries } = useServer()
  const chosen = useStored(choice)
  const ours = isToCome(chosen, 'sendonce', deliveries)
  const plain = isToCome(chosen, 'plain', deliveries)
  const name = ours || plain ? chosen.name : 'behave'
  // Shown as chosen at once, and explained when it is true.
  const [wanted, setWanted] = useState<Wanted>()
  const shown = wanted ?? { ...chosen, name }
  const want = (change: Partial<Wanted>) => {
    const mine = { ...shown, ...change }
    leave()
    setWanted(mine)
    choose(mine).finally(() => setWanted(now => (now === mine ? undefined : now)))
  }
  const lasts = name === 'behave' || name === 'offline'

  return (
    <section className="card faults" aria-label="What goes wrong next">
      <fieldset>
        <legend>Next, the network will</legend>
        <div className="chips">
          {FAULTS.map(each => (
            <label key={each.name} className="chip">
              <input
                type="radio"
                name="fault"
                value={each.name}
                checked={each.name === shown.name}
                onChange={() => want({ name: each.name })}
              />
              <span>{each.label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <div className="footer">
        <p className="explained" key={name}>
          {FAULTS.find(fault => fault.name === name)?.explained}{' '}
          <span className="whom">{lasts ? '' : whom(chosen.always, ours, plain)}</span>
        </p>
        <label className="check">
          <input
            type="checkbox"
            checked={shown.always}
            onChange={event => want({ name: shown.name, always: event.currentTarget.checked })}
          />
          every time
        </label>
        <Dial percent={shown.lossPercent} onTurn={lossPercent => want({ lossPercent })} />
        <div className="actions">
          <button type="button" className="secondary" onClick={() => location.reload()}>
            Reload now
          </button>
          <a className="secondary" href="./" target="_blank" rel="noopener">
            Open a second tab
          </a>
        </div>
      </div>
    </section>
  )
}

const DIAL_STEP_PERCENT = 5

/** Beside what was chosen: a network that is bad for as long as one likes. */
function Dial(props: {
  readonly percent: number
  readonly onTurn: (percent: number) => void
}): ReactElement {
  const { percent, onTurn } = props
  return (
    <div className="dial">
      <label htmlFor="dial">Lose replies</label>
      <input
        id="dial"
        type="range"
        min={0}
        max={100}
        step={DIAL_STEP_PERCENT}
        value={percent}
        aria-valuetext={`${percent} percent`}
        onChange={event => onTurn(event.currentTarget.valueAsNumber)}
      />
      <output htmlFor="dial">{percent} %</output>
    </div>
  )
}

function whom(always: boolean, ours: boolean, plain: boolean): string {
  if (always) return 'So it goes until you choose something else.'
  if (ours && plain) return 'It strikes once in each shop.'
  return `Still to come in the shop with ${ours ? 'sendonce' : 'plain fetch'}.`
}
