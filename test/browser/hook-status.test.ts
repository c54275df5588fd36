import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import type { Key } from './driver/driver.ts'
import { fill, idle, oneHookLab, shows, told } from './hook-page.ts'

const { lab, hold, answer, openPage, openInterrupted } = oneHookLab()

const said = (tab: ChromiumTab) => tab.evaluate(() => window.hook.said)
const focused = (tab: ChromiumTab) =>
  tab.evaluate(() => document.activeElement?.getAttribute('name'))

/** Everything that has or loses the focus from now on. */
const watchFocus = (tab: ChromiumTab) =>
  tab.evaluate(() => {
    const moves: string[] = []
    Object.assign(window, { moves })
    for (const type of ['focusin', 'focusout']) {
      document.addEventListener(type, () => void moves.push(type))
    }
  })
const moves = (tab: ChromiumTab) =>
  tab.evaluate(() => (window as unknown as { moves: readonly string[] }).moves)

/** The ways to submit, by what has the focus and what is pressed. */
const WAYS: readonly {
  readonly how: string
  readonly focus: string
  readonly press: (tab: ChromiumTab) => Promise<void>
}[] = [
  { how: 'a click', focus: 'by', press: tab => tab.click('button') },
  {
    how: 'a double click',
    focus: 'by',
    press: tab => tab.click('button', { times: 2, gapMs: 50 }),
  },
  ...(['Enter', 'Space'] as const satisfies Key[]).flatMap(key => [
    { how: `${key} on the button`, focus: 'by', press: (tab: ChromiumTab) => tab.press(key) },
    {
      how: `${key} twice on the button`,
      focus: 'by',
      press: (tab: ChromiumTab) => tab.press(key, { times: 2 }),
    },
  ]),
  {
    how: 'two clicks in one task',
    focus: 'by',
    press: tab =>
      tab.evaluate(() => {
        const button = document.querySelector('button')
        button?.click()
        button?.click()
      }),
  },
  { how: 'Enter in a field', focus: 'address', press: tab => tab.press('Enter') },
]

describe.each(WAYS)('$how', ({ focus, press }) => {
  it('sends once, says each state once, and leaves the focus where it is, over a retry', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.evaluate(
      name => document.querySelector<HTMLElement>(`[name=${name}]`)?.focus(),
      focus,
    )
    await watchFocus(tab)
    lab().server.next(503)
    await press(tab)
    await shows(tab, 'succeeded')
    await idle(tab)
    expect(await said(tab)).toEqual([
      'Sending…',
      'No clear answer yet. Trying again in a moment.',
      'Done.',
    ])
    expect(await focused(tab)).toBe(focus)
    expect(await moves(tab)).toEqual([])
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
    expect(lab().bodies()).toHaveLength(1)
  })
})

describe('a person hears', () => {
  it('a refusal once, and keeps the focus', async () => {
    const tab = await openPage()
    await fill(tab, 'tea', ' ')
    await tab.press('Enter')
    await shows(tab, 'refused')
    await idle(tab)
    expect(await said(tab)).toEqual(['Sending…', 'This was not accepted.'])
    expect(await focused(tab)).toBe('address')
  })

  it('a success once, if the second half of a double click comes after it', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    await tab.click('button')
    await tab.waitFor(() => window.hook.afterSubmit.length === 2)
    await idle(tab)
    expect(await said(tab)).toEqual(['Sending…', 'Done.'])
    expect(lab().orders()).toHaveLength(1)
  })

  it('a pause once', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await shows(tab, 'paused: unauthorized')
    await idle(tab)
    expect(await said(tab)).toEqual([
      'Sending…',
      'Nothing has happened yet. Please sign in, then send it again.',
    ])
    expect(await focused(tab)).toBe('address')
  })

  it('that nobody knows once, and submits the same again with the same button', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(503, { requests: 2 })
    await tab.press('Enter')
    await shows(tab, 'unknown: attempts')
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    await idle(tab)
    expect(await said(tab)).toEqual([
      'Sending…',
      'No clear answer yet. Trying again in a moment.',
      "We don't know yet whether this went through. Sending it again is safe.",
      'Sending…',
      'Done.',
    ])
    expect(await focused(tab)).toBe('address')
    expect(lab().orders()).toHaveLength(1)
  })

  it('why nothing was sent, and not that it is ready in between', async () => {
    const tab = await openPage({ hooks: 'throw' })
    await fill(tab)
    await tab.press('Enter')
    await tab.waitFor(() => window.hook.order.error?.code === 'not-sent')
    await idle(tab)
    expect(await said(tab)).toEqual([
      'Sending…',
      'This could not be sent just now. Please try again.',
    ])
    expect(lab().arrivals()).toEqual([])
  })

  it('what another tab is doing once, and how it ended', async () => {
    const onlooker = await openPage()
    const tab = await openPage()
    await fill(tab)
    lab().server.next(503)
    hold()
    await tab.press('Enter')
    await lab().arrived(2)
    await onlooker.show()
    await onlooker.waitFor(() => window.hook.order.isSubmitting)
    await answer()
    await shows(onlooker, 'succeeded')
    expect(await said(onlooker)).toEqual(['Another tab is taking care of this.', 'Done.'])
  })

  it('what was found at load once, and each state from there on', async () => {
    const tab = await openInterrupted()
    await shows(tab, 'unknown: interrupted')
    await tab.evaluate(() => window.hook.order.resume())
    await shows(tab, 'succeeded')
    expect(await said(tab)).toEqual([
      "This was interrupted. We don't know yet whether this went through. Sending it again is safe.",
      'Sending…',
      'Done.',
    ])
  })

  it('the words of the app, for errors too', async () => {
    const tab = await openPage({ words: 'german' })
    await fill(tab)
    lab().server.next(503, { requests: 2 })
    await tab.press('Enter')
    await shows(tab, 'unknown: attempts')
    await tab.type('[name=item]', ' with milk')
    await tab.press('Enter')
    await tab.waitFor(() => window.hook.order.message === 'Schon unterwegs.')
    await tab.evaluate(() => window.hook.order.resume())
    await tab.waitFor(() => window.hook.order.message === 'Erledigt.')
  })
})
