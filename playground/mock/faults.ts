import type { Delivery, FaultInput, FaultPlan } from 'sendonce/testing'
import type { Stored } from '../stored.ts'
import { stored } from '../stored.ts'
import { pretendOnline } from './online.ts'
import { ORDERS_PATH, PLAIN_ORDERS_PATH, server } from './server.ts'

/** What can go wrong next: what it is called, what it does, and how the server is told. */
export interface NamedFault {
  readonly name: string
  readonly label: string
  readonly explained: string
  readonly input?: FaultInput
}

const SLOW_MS = 4_000
const RETRY_AFTER_S = 5

export const FAULTS: readonly NamedFault[] = [
  {
    name: 'behave',
    label: 'behave',
    explained: 'Every request arrives, and so does every reply.',
  },
  {
    name: 'lose-request',
    label: 'lose the request',
    explained: 'It never reaches the shop. Nothing is ordered, and nobody is told.',
    input: 'lose-request',
  },
  {
    name: 'lose-reply',
    label: 'lose the reply',
    explained: 'The shop takes the order, and the page never hears of it.',
    input: 'lose-reply',
  },
  {
    name: 'cut-body',
    label: 'cut the reply short',
    explained: 'The shop takes the order, and its reply breaks off in the middle.',
    input: 'cut-body',
  },
  {
    name: 'slow',
    label: 'be slow',
    explained: `The shop takes ${SLOW_MS / 1_000} seconds. A good moment to reload.`,
    input: { is: 'slow', ms: SLOW_MS },
  },
  {
    name: 'hang',
    label: 'hang',
    explained: 'The shop takes the order, and the line stays silent.',
    input: 'hang-after-effect',
  },
  {
    name: '409',
    label: 'say “working on it” (409)',
    explained: 'The shop says that it is busy with this very order.',
    input: { is: 'status', status: 409, evidence: true },
  },
  {
    name: '503',
    label: `say “in ${RETRY_AFTER_S} s, please” (503)`,
    explained: `The shop is overloaded and asks to come back in ${RETRY_AFTER_S} seconds.`,
    input: { is: 'status', status: 503, retryAfter: RETRY_AFTER_S },
  },
  {
    name: 'offline',
    label: 'go offline',
    explained: 'Nothing gets through until you choose something else.',
  },
]

/** What was chosen, and when: what has struck since is in the server's log. */
export interface Choice {
  readonly name: string
  /** Every request, not only the next of either shop. */
  readonly always: boolean
  readonly at: number
}

/** The point of the page is made by whoever just presses the button. */
const FIRST_CHOICE = 'lose-reply'

export const choice: Stored<Choice> = stored('fault', { name: '', always: false, at: 0 })

let choosing: Promise<unknown> = Promise.resolve()

/** Resolves when the server has it: whoever orders after that meets it. One after the other, so that the last one holds. */
export function choose(name: string, always: boolean): Promise<void> {
  const chosen = choosing.then(() => tellServer(name, always))
  choosing = chosen.catch(() => {})
  return chosen
}

async function tellServer(name: string, always: boolean): Promise<void> {
  const at = Date.now()
  const { input } = FAULTS.find(fault => fault.name === name) ?? {}
  const when = always ? { share: 1 } : { requests: 1 }
  const plan: FaultPlan = {
    rules: input
      ? [ORDERS_PATH, PLAIN_ORDERS_PATH].map(path => ({ fault: input, path, ...when }))
      : [],
    network: name === 'offline' ? 'down' : 'up',
  }
  await server.fetch('/api/faults', { method: 'PUT', body: JSON.stringify(plan) })
  choice.set({ name, always, at })
}

/** Whether the chosen fault has not struck this shop yet. */
export function isToCome(chosen: Choice, path: string, deliveries: readonly Delivery[]): boolean {
  const struck = deliveries.some(
    delivery => delivery.path === path && delivery.at >= chosen.at && delivery.fault,
  )
  return chosen.always || !struck
}

/** Begins with what was chosen before; the very first time with a reply that gets lost. */
export async function beginFaults(): Promise<void> {
  const follow = () => pretendOnline(choice.get().name !== 'offline')
  choice.subscribe(follow)
  follow()
  if (choice.get().name === '') await choose(FIRST_CHOICE, false)
}
