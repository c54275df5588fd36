import type { Delivery, Fault, FaultInput } from 'sendonce/testing'
import type { ShopName } from '../journal.ts'
import type { Stored } from '../stored.ts'
import { stored } from '../stored.ts'
import { pretendOnline } from './online.ts'
import { ORDERS_PATHS, PLAIN_ORDERS_PATH, server } from './server.ts'

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
    label: 'cut the reply',
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
    label: 'be still at it (409)',
    explained: 'The shop says that it is busy with this very order.',
    input: { is: 'status', status: 409, evidence: true },
  },
  {
    name: '500',
    label: 'break down (500)',
    explained: 'Something breaks inside the shop, and nobody can say how far it got.',
    input: { is: 'status', status: 500 },
  },
  {
    name: '503',
    label: `ask for ${RETRY_AFTER_S} s (503)`,
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
  /** The dial: this share of all further replies is lost, in percent. */
  readonly lossPercent: number
  readonly at: number
}

export type Wanted = Omit<Choice, 'at'>

export const choice: Stored<Choice> = stored('fault', {
  name: '',
  always: false,
  lossPercent: 0,
  at: 0,
})

let choosing: Promise<unknown> = Promise.resolve()

/** Resolves when the server has it: whoever orders after that meets it. One after the other, so that the last one holds. */
export function choose(wanted: Wanted): Promise<void> {
  const chosen = choosing.then(() => tellServer(wanted))
  choosing = chosen.catch(() => {})
  return chosen
}

async function tellServer(wanted: Wanted): Promise<void> {
  const { name, always, lossPercent } = wanted
  const at = Date.now()
  const input = faultOf(name)
  const when = always ? { share: 1 } : { requests: 1 }
  const rules = [...ORDERS_PATHS, PLAIN_ORDERS_PATH].flatMap(path => [
    ...(input ? [{ fault: input, path, ...when }] : []),
    ...(lossPercent > 0 ? [{ fault: 'lose-reply' as const, path, share: lossPercent / 100 }] : []),
  ])
  const network = name === 'offline' ? 'down' : 'up'
  await server.fetch('/api/faults', { method: 'PUT', body: JSON.stringify({ rules, network }) })
  choice.set({ ...wanted, at })
}

function faultOf(name: string): FaultInput | undefined {
  return FAULTS.find(fault => fault.name === name)?.input
}

/** Whether the chosen fault has not struck this shop yet. */
export function isToCome(chosen: Choice, shop: ShopName, deliveries: readonly Delivery[]): boolean {
  if (chosen.always) return true
  const input = faultOf(chosen.name)
  return !deliveries.some(
    ({ path, at, fault }) =>
      (path === PLAIN_ORDERS_PATH) === (shop === 'plain') &&
      at >= chosen.at &&
      isThat(fault, input),
  )
}

function isThat(fault: Fault | undefined, input: FaultInput | undefined): boolean {
  return fault?.is === (typeof input === 'object' ? input.is : input)
}

/** Begins with what was chosen before. */
export function beginFaults(): void {
  const follow = () => pretendOnline(choice.get().name !== 'offline')
  choice.subscribe(follow)
  follow()
}
