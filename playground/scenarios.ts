import type { MechanismName } from './mechanisms.ts'

/** A case that a link shows: `#scenario=lost-reply`. */
export interface Scenario {
  /** In the address. */
  readonly name: string
  readonly label: string
  /** What happens, and what to do. */
  readonly says: string
  /** One of mock/faults.ts, for the next request of either shop. */
  readonly fault: string
  /** How the shop's server knows an order again. @default 'keys' */
  readonly mechanism?: MechanismName
  /** @default 0 */
  readonly lossPercent?: number
  /** What is typed as the address. @default what was typed before */
  readonly address?: string
  /** What Play does in the person's place. */
  readonly steps: readonly Step[]
}

export type Step =
  | 'order'
  | 'double-click'
  /** Until plain fetch has told its person something. */
  | 'plain-told'
  /** Until both have. */
  | 'both-told'
  | 'ordered'
  | 'pause'
  | 'reload'
  | 'second-tab'
  | 'connect'
  | 'correct'
  /** Presses wherever it was not ordered and nothing is under way. */
  | 'again'
  | 'plain-again'
  | 'crowd'

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'lost-reply',
    label: 'lost reply',
    says: 'The shop takes the order, and its reply gets lost. Order in both, and then do what plain fetch asks you to do: try again.',
    fault: 'lose-reply',
    steps: ['order', 'plain-told', 'pause', 'plain-again', 'ordered'],
  },
  {
    name: 'lost-request',
    label: 'lost request',
    says: 'The order never gets to the shop. From here it looks just like a lost reply: nobody can tell the two apart, so both are sent again.',
    fault: 'lose-request',
    steps: ['order', 'plain-told', 'pause', 'plain-again', 'ordered'],
  },
  {
    name: 'reload',
    label: 'reload',
    says: 'The shop is slow. Order in both, reload the page before it answers, and order again.',
    fault: 'slow',
    steps: ['order', 'pause', 'reload', 'pause', 'again', 'ordered'],
  },
  {
    name: 'two-tabs',
    label: 'two tabs',
    says: 'The shop is slow. Order in both, open a second tab, and order there as well: it is the same cart.',
    fault: 'slow',
    steps: ['order', 'pause', 'second-tab', 'ordered'],
  },
  {
    name: 'double-click',
    label: 'double click',
    says: 'A double click on the button. Plain fetch stands this one too, since its button waits: until the page is reloaded.',
    fault: 'behave',
    steps: ['double-click', 'ordered'],
  },
  {
    name: 'hang',
    label: 'silence',
    says: 'The shop takes the order and never answers. One of the two waits for ever; reload, and order there again.',
    fault: 'hang',
    steps: ['order', 'ordered', 'pause', 'reload', 'pause', 'plain-again'],
  },
  {
    name: 'offline',
    label: 'offline',
    says: 'The connection is gone. Order in both, then let the network behave again: one of them goes on by itself.',
    fault: 'offline',
    steps: ['order', 'plain-told', 'pause', 'connect', 'plain-again', 'ordered'],
  },
  {
    name: '503',
    label: 'overloaded',
    says: 'The shop asks to come back in 5 seconds (503 with Retry-After). One of the two does.',
    fault: '503',
    steps: ['order', 'plain-told', 'pause', 'plain-again', 'ordered'],
  },
  {
    name: '409',
    label: 'in progress',
    says: 'The shop says that it is still working on this very order (409). That is no refusal: one of the two waits and asks again.',
    fault: '409',
    steps: ['order', 'plain-told', 'pause', 'plain-again', 'ordered'],
  },
  {
    name: 'refused',
    label: 'refused',
    says: 'The address is missing, and the shop says no. That is a clear answer: correct it, and the next order is a new one.',
    fault: 'behave',
    address: '',
    steps: ['order', 'both-told', 'pause', 'correct', 'pause', 'again', 'ordered'],
  },
  {
    name: 'crowd',
    label: 'two hundred carts',
    says: 'Two hundred carts at once, and a quarter of all replies gets lost. Press Play and look at the server.',
    fault: 'behave',
    lossPercent: 25,
    steps: ['crowd'],
  },
]

/** What each kind of server makes of a lost reply. */
function lostReply(mechanism: MechanismName, label: string, says: string): Scenario {
  return {
    name: mechanism,
    label,
    says,
    mechanism,
    fault: 'lose-reply',
    steps: ['order', 'plain-told', 'pause', 'plain-again'],
  }
}

/** The same lost reply, and a server that knows an order again by other means. */
export const SERVERS: readonly Scenario[] = [
  lostReply(
    'token',
    'one-time token',
    'The shop hands out a token for each order, and takes it once. Sent again it is turned away as used: that is no failure, so the shop is asked.',
  ),
  lostReply(
    'envelope',
    'code in an envelope',
    'Every answer is a 200 with a code inside, and a table of request ids stands behind it.',
  ),
  lostReply(
    'number',
    'order number',
    'The order carries a number of the business, unique in the database. Sent again it is answered with the order that exists.',
  ),
  lostReply(
    'state',
    'state machine',
    'The cart can be paid once, from the state that it is in. Whoever finds it paid is told so, and that is a success.',
  ),
  lostReply(
    'lock',
    'lock',
    'A lock keeps two deliveries from running at once, and a table behind it remembers what was done.',
  ),
  lostReply(
    'request-id',
    'request id',
    'One id stays the same over all attempts and goes down through all services.',
  ),
  lostReply(
    'window',
    'repeat window',
    'The shop refuses a repeat for five seconds, and then does it again. Nothing can make that safe: so nothing is sent again, and you are told.',
  ),
]

const IN_ADDRESS = /(?:^#|&)scenario=([\w-]+)/

/** The case that an address asks for. */
export function scenarioIn(hash: string): Scenario | undefined {
  return scenarioOf(IN_ADDRESS.exec(hash)?.[1])
}

export function scenarioOf(name: string | undefined): Scenario | undefined {
  return [...SCENARIOS, ...SERVERS].find(scenario => scenario.name === name)
}

export function hrefOf({ name }: Scenario): string {
  return `#scenario=${name}`
}
