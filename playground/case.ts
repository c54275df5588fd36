import { retype } from './cart.ts'
import { mechanismChosen } from './mechanisms.ts'
import { choice, choose } from './mock/faults.ts'
import type { Scenario } from './scenarios.ts'
import { hrefOf, SCENARIOS, scenarioIn } from './scenarios.ts'
import type { Stored } from './stored.ts'
import { storedHere } from './stored.ts'
import { freshCarts } from './use-cart.ts'

/** The name of the case that this tab is at; empty where a person plays on their own. */
export const current: Stored<string> = storedHere('case', '')

/** Breaks what the case is about, and offers a cart that nothing was done with. */
export async function begin(scenario: Scenario): Promise<void> {
  const { name, fault, lossPercent = 0, address, mechanism = 'keys' } = scenario
  current.set(name)
  mechanismChosen.set(mechanism)
  freshCarts()
  retype(address)
  await choose({ name: fault, always: false, lossPercent })
}

/** A link to where one is already changes no address. */
export function beginAgain(scenario: Scenario): void {
  if (location.hash === hrefOf(scenario)) void begin(scenario)
}

/** Whoever chooses by themselves is at no case any more. */
export function leave(): void {
  current.set('')
  if (scenarioIn(location.hash)) history.replaceState(null, '', location.pathname)
}

/** Begins with the case of the address, or with the first one; a reload goes on with what there was. */
export async function beginCases(): Promise<void> {
  addEventListener('hashchange', () => {
    const asked = scenarioIn(location.hash)
    if (asked) void begin(asked)
    else current.set('')
  })
  const asked = scenarioIn(location.hash)
  const [first] = SCENARIOS
  if (asked && asked.name !== current.get()) await begin(asked)
  else if (choice.get().name === '' && first) {
    // So that there is a way back to it.
    history.replaceState(null, '', hrefOf(first))
    await begin(first)
  }
}
