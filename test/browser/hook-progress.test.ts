import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { fill, oneHookLab, shows, told } from './hook-page.ts'

const { lab, urlOf, openPage, openInterrupted } = oneHookLab()

const tokens = () => lab().server.log({ path: '/api/token' })
const bookings = () => lab().server.log({ path: '/api/bookings' })

/** Resolves when so many tokens were asked for. */
async function asked(count: number): Promise<void> {
  if (tokens().length >= count) return
  await new Promise<void>(resolve => {
    const stop = lab().server.subscribe(() => {
      if (tokens().length < count) return
      stop()
      resolve()
    })
  })
}

const isRead = (tab: ChromiumTab) =>
  tab.waitFor(() => {
    const { snapshot } = (window.hook as Partial<typeof window.hook>).order ?? {}
    return snapshot?.state === 'idle' && snapshot.read
  })

describe('the countdown', () => {
  it('counts whole seconds down to the next attempt, outside of what is said', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.evaluate(() => {
      const seconds: string[] = []
      Object.assign(window, { seconds })
      const time = document.querySelector('time') as HTMLElement
      new MutationObserver(() => seconds.push(time.textContent)).observe(time, {
        subtree: true,
        childList: true,
        characterData: true,
      })
    })
    lab().server.next({ is: 'status', status: 429, retryAfter: 2 })
    await tab.click('button')
    await shows(tab, 'succeeded')
    const seconds = await tab.evaluate(
      () => (window as unknown as { seconds: readonly string[] }).seconds,
    )
    expect(seconds).toEqual(['2', '1', ''])
    expect(await tab.evaluate(() => window.hook.said)).toEqual([
      'Sending…',
      'The server is busy. Trying again in a moment.',
      'Done.',
    ])
  })
})

describe('prefetch', () => {
  it('has the token fetched once when the form mounts, in StrictMode', async () => {
    const tab = await openPage({ token: '', prefetch: '' })
    await asked(1)
    await tab.evaluate(() => window.hook.place('hidden'))
    await tab.evaluate(() => window.hook.place('shown'))
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(tokens()).toHaveLength(1)
    expect(bookings()).toHaveLength(1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })

  it('is off where nobody asks for it', async () => {
    const tab = await openPage({ token: '' })
    await isRead(tab)
    await fill(tab)
    expect(tokens()).toEqual([])
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(tokens()).toHaveLength(1)
  })

  it('waits for a page that somebody looks at', async () => {
    const tab = await openPage()
    const front = await lab().browser.newTab()
    await tab.open(urlOf({ token: '', prefetch: '' }))
    await isRead(tab)
    await tab.evaluate(() => window.hook.client?.idle())
    expect(tokens()).toEqual([])
    await front.close()
    await tab.show()
    await asked(1)
  })

  it('says nothing of a token that is not to be had: the submit asks again', async () => {
    const tab = await openPage()
    lab().server.next(503, { path: '/api/token' })
    await tab.open(urlOf({ token: '', prefetch: '' }))
    await asked(1)
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(tokens()).toHaveLength(2)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })

  it('leaves alone what is unsettled', async () => {
    const tab = await openInterrupted({ token: '', prefetch: '' })
    await tab.waitFor(() => window.hook.order.snapshot.state === 'unknown')
    await tab.evaluate(() => window.hook.client?.idle())
    expect(tokens()).toEqual([])
  })
})

describe('recover', () => {
  it.each([
    ['succeeded', 'succeeded', 'onSuccess order-1'],
    ['unknown', 'unknown: interrupted', 'onUnknown interrupted'],
  ] as const)(
    'asks, sends nothing, and tells what the server says: %s',
    async (asks, shown, callback) => {
      const tab = await openInterrupted({ asks })
      await shows(tab, 'unknown: interrupted')
      const outcome = await tab.evaluate(() => window.hook.order.recover())
      expect(outcome?.state).toBe(asks)
      await shows(tab, shown)
      expect(await told(tab)).toEqual([`first: ${callback}`])
      expect(lab().arrivals()).toHaveLength(1)
    },
  )

  it('says why it cannot be asked', async () => {
    const tab = await openInterrupted()
    await shows(tab, 'unknown: interrupted')
    await tab.evaluate(() => window.hook.order.recover())
    expect(await told(tab)).toEqual(['first: onError invalid-argument'])
    expect(lab().arrivals()).toHaveLength(1)
  })
})
