import type { ReactElement } from 'react'
import { beginAgain, current } from './case.ts'
import { play, playing, stop } from './play.ts'
import type { Scenario } from './scenarios.ts'
import { hrefOf, SCENARIOS, SERVERS, scenarioOf } from './scenarios.ts'
import { useStored } from './stored.ts'

const BY_HAND =
  'You are on your own: break the network below, order in both shops, reload in the middle, order again.'

/** The cases, each of them a link; what the present one is about, and a hand that plays it. */
export function Cases(): ReactElement {
  const name = useStored(current)
  const scenario = scenarioOf(name)
  const plays = useStored(playing) !== null
  return (
    <section className="cases" aria-label="Cases">
      <Choice title="Show me" scenarios={SCENARIOS} name={name} />
      <Choice title="With another server" scenarios={SERVERS} name={name} />
      <div className="told">
        <p key={name}>{scenario?.says ?? BY_HAND}</p>
        <button
          type="button"
          className="secondary play"
          hidden={!scenario}
          data-plays={plays}
          onClick={() => {
            if (plays) stop()
            else if (scenario) void play(scenario)
          }}
        >
          {plays ? 'Stop' : 'Play it'}
        </button>
      </div>
    </section>
  )
}

function Choice(props: {
  readonly title: string
  readonly scenarios: readonly Scenario[]
  /** Of the present one. */
  readonly name: string
}): ReactElement {
  const { title, scenarios, name } = props
  return (
    <nav aria-label={title}>
      <p>{title}</p>
      <ul>
        {scenarios.map(each => (
          <li key={each.name}>
            <a
              href={hrefOf(each)}
              aria-current={each.name === name ? 'true' : undefined}
              onClick={() => {
                stop()
                beginAgain(each)
              }}
            >
              {each.label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
