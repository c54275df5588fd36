import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { noted } from './held-lab.ts'
import { fill, hasGone, idle, isBusy, oneHookLab, shows, told, typed } from './hook-page.ts'

const { lab, hold, answer, urlOf, openPage, openInterrupted } = oneHookLab()

/** Resolves when the form is fresh, and not only because nothing was read yet. */
const wasRead = (tab: ChromiumTab) =>
  tab.waitFor(() => {
    // Of a page that has just been opened nothing may be rendered.
    const { snapshot } = window.hook.order ?? {}
    return snapshot?.state === 'idle' && snapshot.read
  })

/** From now on the page dies, as it were, before it has noted down that somebody was told. */
const forgetToNote = (tab: ChromiumTab) =>
  tab.evaluate(() => {
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = function (value: { toldAt?: number }, key) {
      const { toldAt, ...untold } = value
      return put.call(this, untold, key)
    }
  })

describe.each(['props', 'action', 'transition'])('a form that submits by its %s', form => {
  it('is submitting from the submit event until the outcome', async () => {
    const tab = await openPage({ form })
    await fill(tab)
    hold()
    await tab.click('button')
    await lab().arrived(1)
    expect(await isBusy(tab)).toBe('true')
    expect(await tab.evaluate(() => window.hook.afterSubmit)).toEqual([true])
    await answer()
    await shows(tab, 'succeeded')
    expect(await isBusy(tab)).toBe('false')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().arrivals()).toHaveLength(1)
  })

  it('sends once, in StrictMode, whatever is pressed', async () => {
    const tab = await openPage({ form })
    await fill(tab)
    hold()
    await tab.click('button', { times: 2, gapMs: 50 })
    await tab.evaluate(() => document.querySelector('input')?.focus())
    await tab.press('Enter', { times: 2 })
    await tab.waitFor(() => window.hook.afterSubmit.length === 4)
    await answer()
    await shows(tab, 'succeeded')
    expect(lab().arrivals()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })

  it('keeps what was typed, and takes the corrected form for another order', async () => {
    const tab = await openPage({ form })
    await tab.type('[name=item]', 'tea')
    await tab.type('[name=address]', ' ')
    await tab.click('button')
    await shows(tab, 'refused')
    expect(await typed(tab)).toEqual(['tea', ' '])
    await tab.type('[name=address]', 'Berlin')
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual(['first: onRefused 422', 'first: onSuccess order-1'])
    expect(lab().keys()).toHaveLength(2)
  })
})

describe('the form', () => {
  it('sends the button that was pressed', async () => {
    const tab = await openPage()
    await fill(tab)
    const sent = tab.evaluate(
      () =>
        new Promise(resolve => {
          const { fetch } = window
          window.fetch = async (...input) => {
            const request = new Request(...input)
            resolve(await request.clone().json())
            return fetch(request)
          }
        }),
    )
    await tab.click('button')
    expect(await sent).toEqual({ item: 'tea', address: 'Berlin', by: 'button' })
  })

  it('is not submitted by the form of a portal in it', async () => {
    const tab = await openPage({ inside: 'portal' })
    await fill(tab)
    await tab.type('[name=voucher]', 'ten percent')
    await tab.press('Enter')
    await idle(tab)
    expect(lab().arrivals()).toEqual([])
    expect(await isBusy(tab)).toBe('false')
  })

  it('leaves a button alone that closes a dialog', async () => {
    const tab = await openPage({ inside: 'dialog' })
    await fill(tab)
    await tab.click('[formmethod=dialog]')
    await idle(tab)
    expect(lab().arrivals()).toEqual([])
    expect(await told(tab)).toEqual([])
  })

  it('keeps the focus on the button', async () => {
    const tab = await openPage()
    await fill(tab)
    const focused = () => tab.evaluate(() => document.activeElement?.tagName)
    hold()
    await tab.click('button')
    await lab().arrived(1)
    expect(await focused()).toBe('BUTTON')
    await answer()
    await shows(tab, 'succeeded')
    expect(await focused()).toBe('BUTTON')
  })

  it('holds back no navigation that is a transition', async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.click('button')
    await lab().arrived(1)
    await tab.evaluate(() => window.hook.navigate())
    await tab.waitFor(() => document.querySelector('#path')?.textContent === '/elsewhere')
    expect(await isBusy(tab)).toBe('true')
    await answer()
    await shows(tab, 'succeeded')
  })

  it('says why nothing was sent, until the next outcome', async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.click('button')
    await lab().arrived(1)
    await tab.type('[name=item]', ' with milk')
    await tab.click('button')
    await tab.waitFor(() => window.hook.order.error?.code === 'payload-changed')
    expect(await tab.evaluate(() => window.hook.order.message)).toBe(
      'This was sent before with other details, and we have to know first how that ended.',
    )
    await answer()
    await tab.waitFor(() => window.hook.order.message === 'Done.')
    expect(await told(tab)).toEqual(['first: onError payload-changed', 'first: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
  })

  it('goes on when a callback throws, which is reported', async () => {
    const tab = await openPage({ success: 'throw' })
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    await tab.waitFor(() => window.hook.told.length === 1)
    expect(await tab.evaluate(() => window.hook.order.error)).toBe(null)
    const [error, ...others] = tab.takeErrors()
    expect(error).toContain('thrown by onSuccess')
    expect(others).toEqual([])
  })
})

describe('a form that goes away', () => {
  it.each(['gone', 'hidden', 'suspended'] as const)(
    'finds its running operation when it was %s',
    async place => {
      const tab = await openPage()
      await fill(tab)
      hold()
      await tab.click('button')
      await lab().arrived(1)
      await tab.evaluate(place => window.hook.place(place), place)
      await hasGone(tab)
      await tab.evaluate(() => window.hook.place('shown'))
      await shows(tab, 'sending')
      expect(await isBusy(tab)).toBe('true')
      await answer()
      await shows(tab, 'succeeded')
      expect(await told(tab)).toEqual(['first: onSuccess order-1'])
      expect(lab().arrivals()).toHaveLength(1)
    },
  )

  it.each(['gone', 'hidden', 'suspended'] as const)(
    'hears of the outcome that came while it was %s',
    async place => {
      const tab = await openPage()
      await fill(tab)
      hold()
      await tab.click('button')
      await lab().arrived(1)
      await tab.evaluate(place => window.hook.place(place), place)
      await hasGone(tab)
      await answer()
      await tab.waitFor(() => window.hook.told.length === 1)
      await tab.evaluate(() => window.hook.place('shown'))
      await shows(tab, 'succeeded')
      expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    },
  )
})

describe('onSuccess', () => {
  it('runs where the app has sent it again, such as from a list of what was left', async () => {
    const tab = await openInterrupted()
    await tab.evaluate(() => window.hook.client?.operation('checkout').resume())
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })

  it.each([false, true])(
    'does not run where another tab has sent it again; given up here: %s',
    async isGivenUp => {
      const tab = await openInterrupted()
      if (isGivenUp) {
        lab().server.next({ is: 'status', status: 429, retryAfter: 1 })
        await tab.evaluate(() => void window.hook.client?.operation('checkout').resume())
        await shows(tab, 'waiting: rate-limited')
        await tab.evaluate(() => window.hook.client?.operation('checkout').discard())
        await wasRead(tab)
      }
      const other = await openPage()
      if (isGivenUp) await fill(other)
      if (isGivenUp) await other.click('button')
      else await other.evaluate(() => window.hook.client?.operation('checkout').resume())
      await shows(tab, 'succeeded')
      expect(await told(tab)).toEqual([])
      await shows(other, 'succeeded')
      expect(await told(other)).toHaveLength(1)
    },
  )

  it('runs once for two components that both submit', async () => {
    const tab = await openPage({ twice: '' })
    for (const form of ['#first', '#second']) {
      await tab.type(`${form} [name=item]`, 'tea')
      await tab.type(`${form} [name=address]`, 'Berlin')
    }
    hold()
    await tab.click('#first button')
    await tab.click('#second button')
    await lab().arrived(1)
    await answer()
    await shows(tab, 'succeeded')
    await tab.evaluate(() => window.hook.client?.idle())
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })

  it('runs in the tab that submitted, not in one that looks on', async () => {
    const onlooker = await openPage()
    const tab = await openPage()
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    await onlooker.show()
    await shows(onlooker, 'succeeded')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(await told(onlooker)).toEqual([])
  })

  it('does not run again after a reload', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    await noted(tab)
    await tab.reload()
    await wasRead(tab)
    expect(await told(tab)).toEqual([])
  })

  it('runs once more after a page that died before anybody could see it', async () => {
    const tab = await openPage()
    await fill(tab)
    await forgetToNote(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    await tab.reload()
    await tab.waitFor(() => window.hook.told.length === 1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    // A component that is mounted again is not a page that nobody saw.
    await tab.evaluate(() => window.hook.place('gone'))
    await tab.waitFor(() => document.querySelector('#gone') !== null)
    await tab.evaluate(() => window.hook.place('shown'))
    await wasRead(tab)
    await noted(tab)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    await tab.reload()
    await wasRead(tab)
    expect(await told(tab)).toEqual([])
  })

  it('waits for a page that somebody looks at', async () => {
    const tab = await openPage()
    await fill(tab)
    await forgetToNote(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    const front = await lab().browser.newTab()
    await tab.reload()
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual([])
    await front.close()
    await tab.show()
    await tab.waitFor(() => window.hook.told.length === 1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })
})

describe('a success that a person was told of', () => {
  const ordered = async (tab: ChromiumTab) => {
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    await noted(tab)
  }
  const message = (tab: ChromiumTab) => tab.evaluate(() => window.hook.order.message)

  it('is not said again after a reload: the form is fresh, and the same order another one', async () => {
    const tab = await openPage()
    await ordered(tab)
    expect(await message(tab)).toBe('Done.')
    await tab.reload()
    await wasRead(tab)
    expect(await message(tab)).toBe('')
    await ordered(tab)
    expect(await message(tab)).toBe('Done.')
    expect(await told(tab)).toEqual(['first: onSuccess order-2'])
    expect(lab().orders()).toHaveLength(2)
  })

  it('is not said again by a form that comes back to the screen', async () => {
    const tab = await openPage()
    await ordered(tab)
    await tab.evaluate(() => window.hook.place('gone'))
    await tab.waitFor(() => document.querySelector('#gone') !== null)
    await tab.evaluate(() => window.hook.place('shown'))
    await wasRead(tab)
  })

  it('is said to whoever submits it again, where it stands for the operation', async () => {
    const tab = await openPage({ once: '' })
    await ordered(tab)
    await tab.reload()
    await wasRead(tab)
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    await idle(tab)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
  })
})

describe('what is found unsettled', () => {
  it('waits for a person, and goes on when asked', async () => {
    const tab = await openInterrupted()
    await shows(tab, 'unknown: interrupted')
    await tab.evaluate(async () => {
      await window.hook.order.resume()
    })
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
    expect(lab().keys()).toHaveLength(1)
  })

  it('is submitting as soon as it is asked to go on', async () => {
    const tab = await openInterrupted()
    await shows(tab, 'unknown: interrupted')
    hold()
    const busy = await tab.evaluate(async () => {
      void window.hook.order.resume()
      await new Promise(resolve => setTimeout(resolve))
      return window.hook.order.isSubmitting
    })
    expect(busy).toBe(true)
    await lab().arrived(2)
    await answer()
    await shows(tab, 'succeeded')
  })

  it('goes on by itself, once, where it may', async () => {
    const tab = await openInterrupted({ resume: 'auto' })
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().arrivals()).toHaveLength(2)
    expect(lab().orders()).toHaveLength(1)
  })

  it('does not go on for ever', async () => {
    const tab = await openInterrupted()
    lab().server.next(503, { requests: 99 })
    await tab.open(urlOf({ resume: 'auto' }))
    await shows(tab, 'unknown: attempts')
    await tab.evaluate(() => window.hook.client?.idle())
    expect(await told(tab)).toEqual(['first: onUnknown attempts'])
    expect(lab().arrivals()).toHaveLength(3)
  })

  it('does not go on in a page that nobody looks at', async () => {
    const tab = await openInterrupted()
    const front = await lab().browser.newTab()
    await tab.open(urlOf({ resume: 'auto' }))
    await shows(tab, 'unknown: interrupted')
    await tab.evaluate(() => window.hook.client?.idle())
    expect(lab().arrivals()).toHaveLength(1)
    await front.close()
    await tab.show()
    await shows(tab, 'succeeded')
    expect(lab().arrivals()).toHaveLength(2)
  })

  it('is given up by discard', async () => {
    const tab = await openInterrupted()
    await shows(tab, 'unknown: interrupted')
    await tab.evaluate(() => window.hook.order.discard())
    await shows(tab, 'idle')
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(lab().keys()).toHaveLength(2)
  })
})

describe('discard', () => {
  it('is refused while the request is on its way', async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.click('button')
    await lab().arrived(1)
    await tab.evaluate(() => window.hook.order.discard())
    expect(await tab.evaluate(() => window.hook.order.error?.code)).toBe('in-flight')
    await answer()
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual(['first: onError in-flight', 'first: onSuccess order-1'])
  })
})

describe('reset', () => {
  it('makes the form fresh, and keeps it so for a second click', async () => {
    const tab = await openPage({ success: 'reset' })
    await fill(tab)
    await tab.click('button')
    await tab.waitFor(() => window.hook.told.length === 1)
    await shows(tab, 'idle')
    await tab.click('button')
    await tab.waitFor(() => window.hook.afterSubmit.length === 2)
    await tab.evaluate(() => window.hook.client?.idle())
    await shows(tab, 'idle')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
  })

  it('leaves alone what is not settled', async () => {
    const tab = await openInterrupted()
    await shows(tab, 'unknown: interrupted')
    await tab.evaluate(() => window.hook.order.reset())
    expect(await tab.evaluate(() => window.hook.order.snapshot.state)).toBe('unknown')
  })
})

describe('a page from the back-forward cache', () => {
  it('reads the record again', async () => {
    const tab = await openPage({ quiet: '' })
    await wasRead(tab)
    await tab.open(lab().url('other.test'))
    const other = await openPage({ quiet: '' })
    await fill(other)
    await other.click('button')
    await shows(other, 'succeeded')
    await other.evaluate(() => window.hook.client?.idle())
    await tab.show()
    expect(await tab.back()).toEqual({ fromCache: true, reasons: [] })
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual([])
    expect(lab().arrivals()).toHaveLength(1)
  })
})

describe('a page that a server has rendered', () => {
  it('begins as the server left it and comes to what is stored', async () => {
    const tab = await openInterrupted({ hydrate: '' })
    await shows(tab, 'unknown: interrupted')
    expect(await isBusy(tab)).toBe('false')
  })
})

describe('a provider with options', () => {
  const pages = (tab: ChromiumTab) =>
    tab.evaluate(async () => {
      const { held = [] } = await navigator.locks.query()
      return held.filter(({ name }) => name?.startsWith('sendonce:page:')).length
    })

  it('makes one client, in StrictMode, and closes it when it goes', async () => {
    const tab = await openPage({ provider: 'options' })
    await shows(tab, 'idle')
    expect(await pages(tab)).toBe(1)
    await fill(tab)
    await tab.click('button')
    await shows(tab, 'succeeded')
    await tab.evaluate(() => window.hook.place('hidden'))
    await tab.evaluate(() => window.hook.place('shown'))
    await shows(tab, 'succeeded')
    expect(await pages(tab)).toBe(1)
    await tab.evaluate(() => window.hook.place('gone'))
    await tab.waitFor(() => document.querySelector('#gone') !== null)
    expect(await pages(tab)).toBe(0)
    await tab.evaluate(async () => {
      await window.hook.order.submit({ item: 'cake', address: 'Berlin', by: 'nobody' })
    })
    expect(await told(tab)).toEqual(['first: onSuccess order-1', 'first: onError closed'])
  })
})
