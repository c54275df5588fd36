import { expect, it } from 'vitest'
import { worksOnPlainHttp } from '../engines/suite/plain-http.ts'
import { ended, oneLab } from './lab.ts'

const lab = oneLab()

worksOnPlainHttp(lab)

it('waits while it is offline, and goes on when it is online', async () => {
  const tab = await lab().newTab('shop.test')
  await tab.goOffline()
  await tab.evaluate(() => {
    window.lab.open()
    void window.lab.submit()
  })
  await tab.waitFor(() => window.lab.snapshot().state === 'waiting')
  expect(await tab.evaluate(() => window.lab.snapshot().reason)).toBe('offline')
  await tab.goOnline()
  const outcome = await ended(tab)
  expect(outcome).toMatchObject({ state: 'succeeded' })
  expect(lab().keys()).toEqual([outcome.key])
  expect(lab().orders()).toHaveLength(1)
})
