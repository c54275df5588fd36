import { expect, it } from 'vitest'
import { ALL_OVER_MS, Household } from './model/household.ts'

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

it('signing out does not lose a token that may have been used', async () => {
  const house = new Household({ preset: 'oneTimeToken()' })
  house.mock.next('lose-reply', { requests: 4 })
  const tab = house.open()
  tab.submit()
  await house.world.wait(1)
  await house.world.run(() => house.mock.ledger().length > 0)
  tab.forget()
  await house.world.settle()
  house.mock.clearFaults()
  tab.submit()
  await house.world.settle()
  expect(house.accusations).toEqual([])
  expect(house.mock.ledger()).toHaveLength(1)
})

it('nor does a token that was fetched ahead take its place', async () => {
  const house = new Household({ preset: 'oneTimeToken()' })
  house.mock.next('lose-reply', { requests: 4 })
  const tab = house.open()
  tab.submit()
  await house.world.settle()
  tab.forget()
  await house.world.settle()
  house.mock.clearFaults()
  tab.prepare()
  tab.submit()
  await house.world.settle()
  expect(house.accusations).toEqual([])
  expect(house.mock.ledger()).toHaveLength(1)
})

it('a page that died while it fetched a token leaves nothing to resume without a body, and the call says so', async () => {
  const house = new Household({ preset: 'oneTimeToken()' })
  house.mock.next('hang', { path: '/api/token' })
  const tab = house.open()
  tab.submit()
  await house.arrivals(1)
  const next = house.reload(tab)
  // The key's time is over, and with it the body is gone.
  await house.world.wait(ALL_OVER_MS)
  next.resume()
  await house.world.settle()
  expect(next.calls).toMatchObject([{ ended: 'paused: token' }])
})

it('another body does not go round in circles while a dead page holds the operation, without locks', async () => {
  const house = new Household({ preset: 'oneTimeToken()', secure: false })
  house.mock.next('hang', { path: '/api/token' })
  const tab = house.open()
  tab.submit()
  await house.arrivals(1)
  const next = house.reload(tab)
  next.submit('checkout', 'lamp')
  await house.rest()
  expect(next.calls).toMatchObject([{ ended: 'payload-changed' }])
  next.submit('checkout', 'lamp')
  await house.rest()
  expect(house.accusations).toEqual([])
  expect(house.mock.ledger()).toMatchObject([{ item: 'lamp' }])
})

it('what waits for a network until its body is gone is not seen as waiting for ever', async () => {
  const house = new Household({ preset: 'oneTimeToken()' })
  const tab = house.open()
  tab.page.offline()
  tab.submit()
  await house.world.wait(1_000)
  tab.abort()
  await house.world.wait(1_000)
  tab.resume()
  await house.world.wait(ALL_OVER_MS)
  const at = house.place('checkout')
  expect(tab.calls.map(({ ended }) => ended)).toEqual([
    'paused: unavailable',
    'paused: unavailable',
  ])
  expect(at && house.witness.record(at)?.phase).toMatchObject({ is: 'paused' })
})
