import { expect, it } from 'vitest'
import { Household } from './model/household.ts'

/* What the model has found, each as the shortest household that shows it. */

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

it('what one person left going on is not shown to the next', async () => {
  const house = new Household()
  house.open().submit()
  house.signIn('bob')
  await house.world.settle()
  expect(house.accusations).toEqual([])
})

it('a list that was asked for by one person shows nothing to the next', async () => {
  const house = new Household()
  const tab = house.open()
  tab.submit()
  await house.arrivals(1)
  const next = house.reload(tab)
  await house.world.run()
  next.resumeAll()
  // The records have been read; whether somebody is at them has not.
  house.at = ({ page, kind }) => {
    if (page === next.page.name && kind === 'lock') house.signIn('bob')
  }
  await house.world.settle()
  expect(house.accusations).toEqual([])
})

it('signing out forgets the records of whoever was signed in, and of nobody else', async () => {
  const house = new Household()
  house.mock.next('lose-reply')
  const tab = house.open()
  tab.submit('transfer')
  await house.world.settle()
  house.signIn('bob')
  tab.forget()
  house.signIn('ada')
  await house.world.settle()
  const at = house.place('transfer')
  expect(at && house.witness.record(at)?.phase.is).toBe('unknown')
  expect(house.accusations).toEqual([])
})

it('coming back to a page says nothing of what its person knew at the click before', async () => {
  const house = new Household()
  const tabs = [house.open(), house.open()] as const
  tabs[0].submit()
  await house.world.settle()
  tabs[1].submit()
  tabs[1].page.foreground()
  await house.world.run(() => house.world.trace.at(-1)?.kind === 'event')
  await house.world.settle()
  expect(house.mock.ledger()).toHaveLength(1)
})

it('a clock that is set back does not make a dead page look alive', async () => {
  const house = new Household()
  house.mock.next('hang')
  const tab = house.open()
  tab.submit()
  await house.arrivals(1)
  tab.page.hide()
  house.jump(-HOUR_MS)
  const next = house.reload(tab)
  await house.world.wait(MINUTE_MS)
  const { state } = next.client.operation('checkout').getSnapshot()
  expect(state).toBe('unknown')
})
