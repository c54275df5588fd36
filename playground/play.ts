import { retype } from './cart.ts'
import { begin, current } from './case.ts'
import { orderCrowd } from './crowd.ts'
import { isBusy, isOrdered, pressAgain, pressBoth } from './finger.ts'
import { choose } from './mock/faults.ts'
import type { Scenario, Step } from './scenarios.ts'
import { scenarioOf } from './scenarios.ts'
import type { Stored } from './stored.ts'
import { storedHere } from './stored.ts'

/** Which step comes next, in this tab; it goes on after a reload. */
interface Playing {
  readonly name: string
  readonly step: number
}

export const playing: Stored<Playing | null> = storedHere<Playing | null>('playing', null)

/** Long enough to see what has happened. */
const PAUSE_MS = 1_500
/** As a person's double click. */
const DOUBLE_CLICK_MS = 120
const LOOK_MS = 50

/** The address of a tab that orders at once. */
const ORDER_AT_ONCE = '#order'

/** Does what the case is about, in the person's place. */
export async function play(scenario: Scenario): Promise<void> {
  await begin(scenario)
  playing.set({ name: scenario.name, step: 0 })
  await run()
}

export function stop(): void {
  playing.set(null)
}

/** Goes on with what was being played when the page was reloaded; orders where a tab was opened for that. */
export async function goOn(): Promise<void> {
  if (location.hash === ORDER_AT_ONCE) {
    history.replaceState(null, '', location.pathname)
    await pause(PAUSE_MS)
    pressBoth()
  }
  await run()
}

async function run(): Promise<void> {
  for (;;) {
    let now = playing.get()
    const step = now && scenarioOf(now.name)?.steps[now.step]
    if (!now || !step || !goesOn()) return stop()
    const next = { ...now, step: now.step + 1 }
    // Written before: the page may be gone in the middle, and must not do it anew.
    if (step === 'reload' || step === 'crowd') {
      playing.set(next)
      now = playing.get()
    }
    await STEPS[step]()
    // Stopped, or begun anew.
    if (step === 'reload' || playing.get() !== now) return
    if (step !== 'crowd') playing.set(next)
  }
}

/** Nobody has stopped it, nor left its case: by the address, or by breaking something else. */
function goesOn(): boolean {
  const now = playing.get()
  return now !== null && now.name === current.get()
}

const STEPS: { readonly [step in Step]: () => unknown } = {
  order: () => pressBoth(),
  async 'double-click'() {
    pressBoth()
    await pause(DOUBLE_CLICK_MS)
    pressBoth()
  },
  'plain-told': () => until(() => !isBusy('plain')),
  'both-told': () => until(() => !isBusy('plain') && !isBusy('sendonce')),
  ordered: () => until(() => isOrdered('sendonce')),
  pause: () => pause(PAUSE_MS),
  reload: () => location.reload(),
  'second-tab': () => void open(`./${ORDER_AT_ONCE}`, '_blank', 'noopener'),
  connect: () => choose({ name: 'behave', always: false, lossPercent: 0 }),
  correct: () => retype(),
  again: () => pressAgain(),
  'plain-again': () => pressAgain(['plain']),
  crowd: () => orderCrowd(goesOn),
}

async function until(holds: () => boolean): Promise<void> {
  while (goesOn() && !holds()) await pause(LOOK_MS)
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
