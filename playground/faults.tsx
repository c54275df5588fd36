import type { ReactElement } from 'react'
import { useState } from 'react'
import type { Choice } from './mock/faults.ts'
import { choice, choose, FAULTS, isToCome } from './mock/faults.ts'
import { ORDERS_PATH, PLAIN_ORDERS_PATH } from './mock/server.ts'
import { useServer } from './mock/view.ts'
import { useStored } from './stored.ts'

/** What goes wrong next, and the two things that a person does about it. */
export function Faults(): ReactElement {
  const { deliveries } = useServer()
  const chosen = useStored(choice)
  // Shown as chosen at once, and explained when it is true.
  const [wanted, setWanted] = useState<Pick<Choice, 'name' | 'always'>>()
  const want = (name: string, always: boolean) => {
    const mine = { name, always }
    setWanted(mine)
    choose(name, always).finally(() => setWanted(now => (now === mine ? undefined : now)))
  }
  const ours = isToCome(chosen, ORDERS_PATH, deliveries)
  const plain = isToCome(chosen, PLAIN_ORDERS_PATH, deliveries)
  const over = !ours && !plain
  const name = over ? 'behave' : chosen.name
  const fault = FAULTS.find(each => each.name === name)
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
                checked={each.name === (wanted ?? { name }).name}
                onChange={() => want(each.name, (wanted ?? chosen).always)}
              />
              <span>{each.label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <div className="footer">
        <p className="explained">
          {fault?.explained}{' '}
          <span className="whom">{lasts ? '' : whom(chosen.always, ours, plain)}</span>
        </p>
        <label className="check">
          <input
            type="checkbox"
            checked={(wanted ?? chosen).always}
            onChange={event => want((wanted ?? { name }).name, event.currentTarget.checked)}
          />
          every time
        </label>
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

function whom(always: boolean, ours: boolean, plain: boolean): string {
  if (always) return 'So it goes until you choose something else.'
  if (ours && plain) return 'It strikes once in each shop.'
  return `Still to come in the shop with ${ours ? 'sendonce' : 'plain fetch'}.`
}
