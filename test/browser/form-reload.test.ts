import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import {
  buttons,
  emptied,
  fill,
  focused,
  message,
  oneFormLab,
  shows,
  told,
  typed,
} from './form-lab.ts'

const kept = (tab: ChromiumTab) => tab.evaluate(() => JSON.stringify({ ...sessionStorage }))

const { lab, url, openPage, openInterrupted, hold, answer } = oneFormLab()

describe('an order of which nobody knows', () => {
  it('is the same order when the same is submitted after a reload', async () => {
    const tab = await openInterrupted()
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
    await tab.evaluate(() => document.querySelector<HTMLElement>('[name=item]')?.focus())
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    expect(lab().arrivals()).toHaveLength(2)
    expect(lab().keys()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })

  it('is shown with what can be done, and nothing of it is sent unasked', async () => {
    const tab = await openInterrupted()
    expect(await message(tab)).toContain("We don't know yet whether this went through.")
    expect(await buttons(tab)).toEqual(['resume', 'discard'])
    await tab.evaluate(() => window.page.client.idle())
    expect(lab().arrivals()).toHaveLength(1)
    expect(await told(tab)).toEqual([])
  })

  it('goes on by keyboard, and the focus stays', async () => {
    const tab = await openInterrupted()
    await tab.evaluate(() => document.querySelector<HTMLElement>('[type=reset]')?.focus())
    await tab.press('Tab')
    expect(await focused(tab)).toBe('Send again')
    hold()
    await tab.press('Enter', { times: 2 })
    await lab().arrived(2)
    expect(await buttons(tab)).toEqual([])
    expect(await focused(tab)).toBe('Send again')
    await answer()
    await shows(tab, 'succeeded')
    expect(await focused(tab)).toBe('Send again')
    await tab.evaluate(() => document.querySelector<HTMLElement>('[name=item]')?.focus())
    expect(
      await tab.evaluate(() =>
        document
          .querySelector('[data-sendonce-resume]')
          ?.checkVisibility({ visibilityProperty: true }),
      ),
    ).toBe(false)
    // It was ordered: as after a submit of this page, the form is empty.
    await tab.waitFor(() => document.querySelector('input')?.value === '')
    expect(lab().arrivals()).toHaveLength(2)
    expect(lab().keys()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })

  it('goes on by itself where it may', async () => {
    const tab = await openInterrupted()
    await tab.open(url({ resume: 'auto' }))
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
  })

  it('is given up by its button, and the next one has a key of its own', async () => {
    const tab = await openInterrupted()
    await tab.click('[data-sendonce-discard]')
    await shows(tab, 'idle')
    expect(await message(tab)).toBe('')
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
    expect(await buttons(tab)).toEqual([])
    await tab.click('[value=order]')
    await shows(tab, 'succeeded')
    expect(lab().keys()).toHaveLength(2)
  })

  it('is told as another one when something else is submitted', async () => {
    const tab = await openInterrupted()
    await tab.type('#first [name=item]', ' with milk')
    await tab.press('Enter')
    await tab.waitFor(() => window.page.told.length === 1)
    expect(await told(tab)).toEqual(['first: onError payload-changed'])
    await shows(tab, 'unknown')
    expect(await message(tab)).toContain('sent before with other details')
    expect(await buttons(tab)).toEqual(['resume', 'discard'])
    await tab.click('[data-sendonce-resume]')
    await shows(tab, 'succeeded')
    await emptied(tab)
    expect(lab().orders()).toMatchObject([{ item: 'tea' }])
    expect(await typed(tab)).toEqual(['tea with milk', 'Berlin', ''])
  })

  it('is settled in another tab while the page lies in the back-forward cache', async () => {
    const tab = await openInterrupted()
    await tab.open(new URL('lab.html', lab().url('other.test')).href)
    const other = await openPage()
    await shows(other, 'unknown')
    await other.click('[data-sendonce-resume]')
    await shows(other, 'succeeded')
    await other.evaluate(() => window.page.client.idle())
    await other.close()
    expect(await tab.back()).toEqual({ fromCache: true, reasons: [] })
    await shows(tab, 'succeeded')
    expect(await message(tab)).toBe('Done.')
    expect(await buttons(tab)).toEqual([])
    expect(lab().arrivals()).toHaveLength(2)
    expect(lab().orders()).toHaveLength(1)
  })
})

describe('an order that the server can be asked about', () => {
  it('has a button for that', async () => {
    const tab = await openPage()
    await tab.evaluate(() => {
      // A server that tells what happened: all that the form knows of it is the handle.
      const known = { operation: 'checkout', key: 'k', attempts: 1, startedAt: 1, durable: true }
      const flags = { resumable: false, recoverable: true } as const
      let snapshot: object = { ...known, ...flags, state: 'unknown', reason: 'token-spent' }
      const listeners = new Set<() => void>()
      const operation = {
        getSnapshot: () => snapshot,
        subscribe: (listener: () => void) => listeners.add(listener),
        async acknowledge() {},
        async recover() {
          snapshot = { ...known, state: 'succeeded', data: { id: 'order-1' }, news: false }
          for (const listener of listeners) listener()
          return snapshot
        },
      }
      const [form] = document.querySelectorAll('form')
      const client = { operation: () => operation } as never
      if (form) window.page.bind(form, 'first', { client })
    })
    expect(await buttons(tab)).toEqual(['recover', 'discard'])
    await tab.click('[data-sendonce-recover]')
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(await message(tab)).toBe('Done.')
  })
})

describe('what is kept of the fields', () => {
  it('is put back, but for what is secret', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.type('#first [name=card]', '4111')
    await tab.click('[name=gift]')
    await tab.evaluate(() => {
      const [select] = document.querySelectorAll('select')
      if (select) select.value = 'large'
    })
    lab().server.next('hang-after-effect')
    await tab.click('[value=order]')
    await lab().arrived(1)
    expect(await kept(tab)).toContain('Berlin')
    expect(await kept(tab)).not.toContain('4111')
    // What the browser puts back by itself is not what is tested.
    await tab.open(url())
    await shows(tab, 'unknown')
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
    expect(
      await tab.evaluate(() => [
        document.querySelector<HTMLInputElement>('[name=gift]')?.checked,
        document.querySelector('select')?.value,
      ]),
    ).toEqual([true, 'large'])
  })

  it('is kept of a field outside of the form too', async () => {
    const tab = await openPage()
    await tab.evaluate(() => {
      const field = document.querySelector('#first [name=address]') as HTMLInputElement
      field.setAttribute('form', 'first')
      document.body.append(field)
      window.page.bind(document.querySelector('#first') as HTMLFormElement, 'first')
    })
    await tab.type('[name=item]', 'tea')
    await tab.type('body > [name=address]', ' ')
    await tab.press('Enter')
    await shows(tab, 'refused')
    await tab.type('body > [name=address]', 'Berlin')
    expect(await kept(tab)).toContain('Berlin')
  })

  it.each(['is in the field', 'has left it'])(
    'is not put in the place of what was typed before the form was bound, by somebody who %s',
    async where => {
      const tab = await openInterrupted()
      await tab.open(url())
      await shows(tab, 'unknown')
      await tab.type('#second [name=item]', 'coffee')
      if (where === 'has left it') await tab.press('Tab')
      await tab.evaluate(() => {
        const form = document.querySelector<HTMLFormElement>('#second')
        if (form) window.page.bind(form, 'second')
      })
      const second = () =>
        tab.evaluate(() =>
          [...document.querySelectorAll<HTMLInputElement>('#second input')].map(
            ({ value }) => value,
          ),
        )
      expect(await second()).toEqual(['coffee', 'Berlin'])
      // What was not ordered is not taken away with what was.
      await tab.click('[data-sendonce-resume]')
      await shows(tab, 'succeeded')
      await emptied(tab)
      expect(await second()).toEqual(['coffee', 'Berlin'])
      expect(await typed(tab)).toEqual(['', '', ''])
      expect(lab().orders()).toMatchObject([{ item: 'tea' }])
    },
  )

  it('goes with the success', async () => {
    const tab = await openInterrupted()
    await tab.click('[data-sendonce-resume]')
    await shows(tab, 'succeeded')
    expect(await tab.evaluate(() => sessionStorage.length)).toBe(0)
  })

  it.each([{ forgetful: '' }, { send: 'sensitive' }])('is nothing with %o', async settings => {
    const tab = await openPage(settings)
    await fill(tab)
    lab().server.next('hang-after-effect')
    await tab.press('Enter')
    await lab().arrived(1)
    expect(await kept(tab)).not.toMatch(/tea|Berlin/)
  })
})

describe('two tabs with the same form', () => {
  it('lose no focus of a page that lies behind, when a button has nothing to do any more', async () => {
    const tab = await openInterrupted()
    await tab.evaluate(() => document.querySelector<HTMLElement>('[data-sendonce-resume]')?.focus())
    const other = await openPage()
    await shows(other, 'unknown')
    await other.click('[data-sendonce-discard]')
    await shows(tab, 'idle')
    expect(await focused(tab)).toBe('Send again')
    expect(await buttons(tab)).toEqual([])
  })

  it('tell the same story', async () => {
    const onlooker = await openPage()
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    await onlooker.show()
    await onlooker.waitFor(() => document.querySelector('#first')?.ariaBusy === 'true')
    expect(await message(onlooker)).toBe('Another tab is taking care of this.')
    await answer()
    await shows(onlooker, 'succeeded')
    expect(await message(onlooker)).toBe('Done.')
    expect(await told(onlooker)).toEqual([])
    expect(lab().orders()).toHaveLength(1)
  })
})
