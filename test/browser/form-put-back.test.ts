import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneFormLab } from './form-lab.ts'
import { NATIVE, ORDER, oneOwnForm } from './own-form.ts'

// Into which fields what was typed is put back, and into which it is not.

const formLab = oneFormLab()
const { lab, url, openPage } = formLab
const { install, fillOwn, isIn, entries, again, interrupt } = oneOwnForm(formLab)

describe('what is put back', () => {
  it('is put back where the page tells itself of its own fields at once', async () => {
    const tells = `queueMicrotask(() => {
      const text = form.querySelector('[name=address]')
      text.dispatchEvent(new Event('input', { bubbles: true }))
    })`
    const { tab } = await interrupt(ORDER, tells, fillOwn)
    expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin'])
  })

  it('is put into a custom element that is defined later', async () => {
    const late = `setTimeout(() => customElements.get('x-late') ?? customElements.define('x-late', class extends HTMLElement {
      static formAssociated = true
      internals = this.attachInternals()
      get name() { return this.getAttribute('name') }
      get value() { return this.held ?? '' }
      set value(held) { this.held = held; this.internals.setFormValue(held) }
    }), 300)`
    const isThere = (tab: ChromiumTab) =>
      tab.waitFor(() => customElements.get('x-late') !== undefined)
    const { tab, before } = await interrupt(
      `${ORDER}<x-late name="note"></x-late>`,
      late,
      async tab => {
        await fillOwn(tab)
        await isThere(tab)
        await tab.evaluate(() => {
          Object.assign(document.querySelector('x-late') ?? {}, { value: 'ring twice' })
        })
      },
    )
    await isThere(tab)
    expect(await entries(tab)).toEqual(before)
    expect(before).toContain('note=ring twice')
  })

  it('ticks a custom box', async () => {
    const box = `customElements.get('x-box') ?? customElements.define('x-box', class extends HTMLElement {
      static formAssociated = true
      internals = this.attachInternals()
      value = 'on'
      get name() { return this.getAttribute('name') }
      get checked() { return this.ticked === true }
      constructor() {
        super()
        this.addEventListener('click', () => {
          this.ticked = !this.ticked
          this.internals.setFormValue(this.ticked ? this.value : null)
        })
      }
    })`
    const { tab, before } = await interrupt(
      `${ORDER}<x-box name="agree" id="agree">agree</x-box>`,
      box,
      async tab => {
        await fillOwn(tab)
        await tab.click('#agree')
      },
    )
    expect(before).toContain('agree=on')
    expect(await entries(tab)).toEqual(before)
  })

  it('is selected in a list whose options come after a click into a field', async () => {
    const later = `form.fill = () => {
      form.querySelector('select').insertAdjacentHTML('beforeend', '<option>BY</option><option>BE</option>')
    }`
    const come = (tab: ChromiumTab) =>
      tab.evaluate(() => Reflect.get(document.querySelector('#own') ?? {}, 'fill')())
    const { tab, before } = await interrupt(
      `${ORDER}<select name="state"><option value="">…</option></select>`,
      later,
      async tab => {
        await fillOwn(tab)
        await come(tab)
        await tab.type('#own select', 'BE')
      },
    )
    await tab.click('#own [name=address]')
    await come(tab)
    expect(before).toContain('state=BE')
    expect(await entries(tab)).toEqual(before)
  })

  describe('over what the page itself has put there', () => {
    const withAddress = (value: string) =>
      `<input name="item"><input name="address" value="${value}">`
    const refuse = async (tab: ChromiumTab, fields: string) => {
      await install(tab, fields)
      lab().server.next(422)
      await tab.evaluate(() => document.querySelector<HTMLElement>('#go')?.focus())
    }
    const order = async (tab: ChromiumTab) => {
      await tab.press('Enter')
      await isIn(tab, 'refused')
    }

    it('since it was refused, is not', async () => {
      const tab = await openPage(NATIVE)
      await refuse(tab, ORDER)
      await fillOwn(tab)
      await order(tab)
      await again(tab, withAddress('10115 Berlin'), '', 'refused')
      expect(await entries(tab)).toEqual(['item=tea', 'address=10115 Berlin'])
    })

    it('is, while nobody knows: only the same can be sent again', async () => {
      const { tab } = await interrupt(ORDER, '', fillOwn)
      await again(tab, withAddress('10115 Berlin'), '', 'unknown')
      expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin'])
    })

    const act = (tab: ChromiumTab, what: string) =>
      tab.evaluate(what => new Function('form', what)(document.querySelector('#own')), what)

    it.each([
      { at: 'first', next: 'Paris' },
      { at: 'first', next: 'London' },
      // As an effect does that runs again.
      {
        at: 'first',
        after: `window.page.bind(form, 'own', { operation: 'own' })`,
        next: 'Paris',
      },
      // As with a profile that is fetched, and at hand the next time.
      {
        at: 'later',
        before: `form.address.value = form.address.defaultValue = 'Paris'`,
        next: 'Paris',
      },
    ])(
      'is, where somebody had typed over it: %j',
      async ({ at, before = '', after = '', next }) => {
        const tab = await openPage(NATIVE)
        await refuse(tab, withAddress(at === 'first' ? 'Paris' : ''))
        await act(tab, before)
        await tab.type('#own [name=address]', ', Texas')
        await act(tab, after)
        await order(tab)
        const [, typed] = await entries(tab)
        expect(typed).toContain(', Texas')
        await again(tab, withAddress(next), '', 'refused')
        expect(await entries(tab)).toContain(typed)
        // And once more, with what was put back.
        lab().server.next(422)
        await tab.click('#go')
        await lab().arrived(2)
        await isIn(tab, 'refused')
        await again(tab, withAddress(next), '', 'refused')
        expect(await entries(tab)).toContain(typed)
      },
    )
  })

  it.each([
    ['another operation', `window.page.bind(form, 'next', { operation: 'next' })`],
    ['another account', `window.who = 'bob'`],
  ])('is not put into fields that are made for %s', async (_, act) => {
    const settings = { ...NATIVE, who: 'ada' }
    const tab = await openPage(settings)
    const fields = `<p id="all">${ORDER}</p>`
    await install(tab, fields)
    await fillOwn(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await isIn(tab, 'paused')
    await tab.open(url(settings))
    await tab.waitFor(() => window.page !== undefined)
    await install(tab, fields)
    await isIn(tab, 'paused')
    expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin'])
    await tab.evaluate(
      (html, act) => {
        Object.assign(document.querySelector('#all') ?? {}, { innerHTML: html })
        new Function('form', act)(document.querySelector('#own'))
      },
      ORDER,
      act,
    )
    await tab.evaluate(() => window.page.client.idle())
    expect(await entries(tab)).toEqual(['item=', 'address='])
  })
})

it('what is typed after a refusal is kept where the page stops its events', async () => {
  const stops = `for (const is of form.querySelectorAll('input')) is.addEventListener('input', event => event.stopPropagation())`
  const tab = await openPage(NATIVE)
  await install(tab, ORDER, stops)
  await fillOwn(tab)
  lab().server.next(422)
  await tab.press('Enter')
  await isIn(tab, 'refused')
  await tab.type('#own [name=address]', ' 10115')
  await again(tab, ORDER, stops, 'refused')
  expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin 10115'])
})

it('a password that is shown before anything is typed is not kept', async () => {
  const tab = await openPage(NATIVE)
  await install(tab, ORDER)
  await tab.evaluate(() => {
    const html = '<input type="password" name="pin" id="pin">'
    document.querySelector('#own')?.insertAdjacentHTML('afterbegin', html)
  })
  await tab.evaluate(() => Object.assign(document.querySelector('#pin') ?? {}, { type: 'text' }))
  await tab.type('#pin', 'hunter2')
  await fillOwn(tab)
  lab().server.next(401)
  await tab.press('Enter')
  await isIn(tab, 'paused')
  const kept = await tab.evaluate(() => JSON.stringify({ ...sessionStorage }))
  expect(kept).toContain('Berlin')
  expect(kept).not.toContain('hunter2')
})
