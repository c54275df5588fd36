import type { Household, HouseholdOptions, OperationName } from '../crash/model/household.ts'
import { ALL_OVER_MS, LEASE_OVER_MS } from '../crash/model/household.ts'
import type { Tab } from '../crash/model/tab.ts'
import type { Kind } from '../support/world/agenda.ts'
import type { Server } from '../support/world/network.ts'

/** What a household does, up to the point at which all is at rest. */
export interface Scenario extends Pick<HouseholdOptions, 'secure' | 'preset' | 'behind'> {
  /** @default in memory */
  readonly store?: 'indexeddb'
  readonly run: (house: Household) => Promise<void>
}

const HOUR_MS = 3_600_000

/** Writes the body of the second order that comes by in its own way. */
const rewriting = (server: Server): Server => {
  let orders = 0
  return async request => {
    if (request.method === 'POST') orders += 1
    if (request.method !== 'POST' || orders !== 2) return server(request)
    const { url, method, headers } = request
    return server(new Request(url, { method, headers, body: ` ${await request.text()}` }))
  }
}

export const SCENARIOS = {
  'the reply is lost': { run: loseReply },
  'the reply is lost, and a proxy answers 404': {
    async run(house) {
      const { mock, world } = house
      mock.next('lose-reply')
      mock.next(404)
      house.open().submit()
      await world.settle()
    },
  },
  'the reply is lost, and then 409 for as long as anybody asks': {
    async run(house) {
      const { mock, world } = house
      mock.next('lose-reply')
      mock.next(409, { requests: 10 })
      house.open().submit()
      await world.settle()
    },
  },
  'the request is lost, and the caller changes what it holds': {
    async run(house) {
      const { mock, world } = house
      mock.next('lose-request')
      const body = house.open().submit()
      await house.arrivals(1)
      body.amount = 43
      await world.settle()
    },
  },
  'the replies of a whole turn are lost, and the person clicks again': {
    async run(house) {
      const { mock, world } = house
      mock.next('lose-reply', { requests: 4 })
      const tab = house.open()
      tab.submit()
      await world.settle()
      tab.submit()
      await world.settle()
    },
  },
  'the reply to a token is lost': {
    preset: 'oneTimeToken()',
    run: loseReply,
  },
  'a tab wakes with its token while another has sent its own': {
    preset: 'oneTimeToken()',
    async run(house) {
      const { mock, world } = house
      mock.next('hang-after-effect')
      const tabs = [house.open(), house.open()] as const
      tabs[0].submit()
      await freezeAt(house, tabs[0], 'store', () => mock.tables().tokens.length > 0)
      tabs[1].submit()
      await world.run(() => mock.ledger().length > 0)
      tabs[0].page.unfreeze()
      await world.settle()
    },
  },
  'a page dies while its token is on its way, and the next one asks': {
    preset: 'oneTimeToken({ recover })',
    async run(house) {
      const { mock, world } = house
      mock.next('hang')
      const tab = house.open()
      tab.submit()
      await house.arrivals(2)
      house.reload(tab).recover()
      await world.settle()
    },
  },
  'the reply is lost, and a window closes': {
    preset: 'repeatWindow()',
    run: loseReply,
  },
  'the reply is lost, a proxy changes the next attempt, and the person clicks again': {
    behind: rewriting,
    async run(house) {
      const { mock, world } = house
      mock.next('lose-reply')
      const tab = house.open()
      tab.submit()
      await world.settle()
      tab.submit()
      await world.settle()
    },
  },
  'two tabs submit at once, on IndexedDB': {
    store: 'indexeddb',
    run: submitTwice,
  },
  'two tabs submit at once, without locks': { secure: false, run: submitTwice },
  'a second tab that was open all the time submits the same after the first succeeded': {
    async run(house) {
      const { world } = house
      const tabs = [house.open(), house.open()] as const
      tabs[0].submit()
      await world.wait(LEASE_OVER_MS)
      tabs[1].submit()
      await world.settle()
    },
  },
  'a server that promises nothing does not answer, and the person clicks again': {
    async run(house) {
      const { mock, world } = house
      mock.next('lose-reply')
      const tab = house.open()
      tab.submit('transfer')
      await world.settle()
      tab.submit('transfer')
      await world.settle()
    },
  },
  'signed out while nobody knows, and in again': {
    async run(house) {
      const { mock, world } = house
      mock.next('hang-after-effect', { requests: 4 })
      const tab = house.open()
      tab.submit()
      await world.settle()
      tab.forget()
      house.signIn(null)
      await world.settle()
      mock.clearFaults()
      house.signIn('ada')
      tab.submit()
      await world.settle()
    },
  },
  'a tab wakes between two attempts when all is over': {
    async run(house) {
      const { mock, world } = house
      mock.next('lose-reply')
      const tabs = [house.open(), house.open()] as const
      tabs[0].submit()
      await world.run(() => phaseOf(house) === 'waiting')
      tabs[0].page.freeze()
      await world.wait(LEASE_OVER_MS)
      tabs[1].submit()
      await world.wait(ALL_OVER_MS)
      await house.forgetKeys()
      tabs[0].page.unfreeze()
      await world.settle()
    },
  },
  'a tab wakes before its first request when all is over': {
    async run(house) {
      const { world } = house
      const tabs = [house.open(), house.open()] as const
      tabs[0].submit()
      await freezeWhenClaimed(house, tabs[0])
      tabs[1].submit()
      await world.wait(ALL_OVER_MS)
      await house.forgetKeys()
      tabs[0].page.unfreeze()
      await world.settle()
    },
  },
  'a tab wakes before its first request while another has none of its replies': {
    async run(house) {
      const { mock, world } = house
      mock.next('hang-after-effect')
      const tabs = [house.open(), house.open()] as const
      tabs[0].submit()
      await freezeWhenClaimed(house, tabs[0])
      tabs[1].submit()
      await world.run(() => mock.ledger().length > 0)
      tabs[0].page.unfreeze()
      await world.settle()
    },
  },
  'a tab wakes with its success while another asks for the same': {
    async run(house) {
      const { mock, world } = house
      mock.next('hang', { attempts: [2] })
      const tabs = [house.open(), house.open()] as const
      tabs[0].submit()
      await freezeAt(house, tabs[0], 'store', () => mock.ledger().length > 0)
      tabs[1].submit()
      await house.arrivals(2)
      tabs[0].page.unfreeze()
      await world.settle()
    },
  },
  'a key has expired, and the person asks to go on': {
    async run(house) {
      const { mock, world } = house
      mock.next('hang-after-effect', { requests: 4 })
      const tab = house.open()
      tab.submit()
      await world.wait(ALL_OVER_MS)
      await house.forgetKeys()
      mock.clearFaults()
      tab.resume()
      await world.settle()
    },
  },
  'somebody else signs in right before a request leaves': {
    async run(house) {
      const tab = house.open()
      tab.submit()
      await freezeWhenClaimed(house, tab)
      house.signIn('bob')
      tab.page.unfreeze()
      await house.world.settle()
    },
  },
  'the clock is set back, and what was given up is not taken up again': {
    async run(house) {
      const { mock, world } = house
      mock.next('lose-reply')
      const tabs = [house.open(), house.open()] as const
      tabs[0].submit()
      await world.run(() => phaseOf(house) === 'waiting')
      house.jump(-HOUR_MS)
      tabs[1].discard()
      await world.settle()
    },
  },
} satisfies Record<string, Scenario>

export type ScenarioName = keyof typeof SCENARIOS

async function loseReply(house: Household): Promise<void> {
  const { mock, world } = house
  mock.next('lose-reply')
  house.open().submit()
  await world.settle()
}

async function submitTwice(house: Household): Promise<void> {
  const { world } = house
  const tabs = [house.open(), house.open()]
  for (const tab of tabs) tab.submit()
  await world.settle()
}

function phaseOf(house: Household, operation: OperationName = 'checkout'): string | undefined {
  const at = house.place(operation)
  return at && house.witness.record(at)?.phase.is
}

/** Stops a tab when its claim is committed and it has not heard of that. */
function freezeWhenClaimed(house: Household, tab: Tab): Promise<void> {
  return freezeAt(house, tab, 'stored', () => phaseOf(house) === 'sending')
}

/** Stops a tab right before its first point of a kind at which a condition holds. */
async function freezeAt(
  house: Household,
  tab: Tab,
  kind: Kind,
  holds: () => boolean,
): Promise<void> {
  house.at = point => {
    if (point.page !== tab.page.name || point.kind !== kind || !holds()) return
    tab.page.freeze()
    house.at = undefined
  }
  await house.world.run(() => tab.page.life === 'frozen')
}
