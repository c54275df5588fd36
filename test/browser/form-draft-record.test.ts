import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { fill, oneFormLab, shows, typed } from './form-lab.ts'
import { NATIVE, ORDER, oneOwnForm } from './own-form.ts'

const { lab, url, openPage, hold, answer } = oneFormLab()
const { install, fillOwn, isIn, entries, again } = oneOwnForm({ lab, url, openPage })

/** All that the tab has stored. */
const stored = (tab: ChromiumTab) => tab.evaluate(() => JSON.stringify({ ...sessionStorage }))

const startedAt = (tab: ChromiumTab) =>
  tab.evaluate(() => (window.page.bound.snapshot as { startedAt?: number }).startedAt)

describe('what was typed is of nobody else', () => {
  it.each([true, false])('who signs in without a reload, forget(): %s', async forgets => {
    lab().server.next(401, { requests: 2 })
    const bob = await openPage({ who: 'bob' })
    await bob.type('#first [name=item]', 'coffee')
    await bob.type('#first [name=address]', 'Paris')
    await bob.press('Enter')
    await shows(bob, 'paused')
    await bob.evaluate(() => window.page.client.idle())
    await bob.close()
    const tab = await openPage({ who: 'ada' })
    await fill(tab)
    await tab.press('Enter')
    await shows(tab, 'paused')
    const before = await startedAt(tab)
    await tab.evaluate(async forgets => {
      if (forgets) await window.page.client.forget()
      window.who = 'bob'
    }, forgets)
    await tab.waitFor(before => {
      const { startedAt } = window.page.bound.snapshot as { startedAt?: number }
      return startedAt !== undefined && startedAt !== before
    }, before)
    expect(await stored(tab)).not.toContain('Berlin')
    await tab.open(url({ who: 'bob' }))
    await shows(tab, 'paused')
    expect(await typed(tab)).toEqual(['', '', ''])
  })

  it.each(['here', 'in another tab'])(
    'is gone when its person signs out %s in mid-flight',
    async where => {
      const tab = await openPage()
      await fill(tab)
      hold()
      await tab.press('Enter')
      await lab().arrived(1)
      expect(await stored(tab)).toContain('Berlin')
      const other = where === 'here' ? tab : await openPage()
      await other.evaluate(() => window.page.client.forget())
      await tab.show()
      await tab.waitFor(() => sessionStorage.length === 0)
      await answer()
      await tab.evaluate(() => window.page.client.idle())
      expect(await stored(tab)).toBe('{}')
    },
  )

  it('is not kept when its person signs out before it is under way', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.evaluate(async () => {
      document.querySelector<HTMLFormElement>('#first')?.requestSubmit()
      await window.page.client.forget()
      await window.page.client.idle()
    })
    expect(await stored(tab)).toBe('{}')
  })
})

describe('what somebody else types is not kept under the record of the one before', () => {
  const becomes = (tab: ChromiumTab, who: string) =>
    tab.evaluate(async who => {
      window.who = who
      document.querySelector<HTMLFormElement>('#first')?.reset()
      await window.page.client.unsettled()
    }, who)

  it('while that is under way', async () => {
    const tab = await openPage({ who: 'ada' })
    await fill(tab)
    lab().server.next('hang-after-effect')
    await tab.press('Enter')
    await lab().arrived(1)
    await becomes(tab, 'bob')
    await tab.type('#first [name=item]', 'gin')
    await tab.reload()
    await shows(tab, 'unknown')
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
  })

  it('while that is paused, and seen again', async () => {
    const tab = await openPage({ who: 'ada' })
    await fill(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await shows(tab, 'paused')
    await becomes(tab, 'bob')
    await shows(tab, 'idle')
    await tab.type('#first [name=item]', 'gin')
    await becomes(tab, 'ada')
    await shows(tab, 'paused')
    await tab.reload()
    await shows(tab, 'paused')
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
  })
})

describe('what was typed is of its own record', () => {
  it('where another tab has given that up and ordered something else', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await shows(tab, 'paused')
    const before = await startedAt(tab)
    const other = await openPage()
    await shows(other, 'paused')
    await other.click('[data-sendonce-discard]')
    await shows(other, 'idle')
    await other.type('#first [name=item]', 'coffee')
    await other.type('#first [name=address]', 'Paris')
    lab().server.next(401)
    await other.press('Enter')
    await shows(other, 'paused')
    await tab.show()
    await tab.waitFor(before => {
      const { startedAt } = window.page.bound.snapshot as { startedAt?: number }
      return startedAt !== undefined && startedAt !== before
    }, before)
    await tab.reload()
    await shows(tab, 'paused')
    expect(await typed(tab)).toEqual(['', '', ''])
  })

  it('where another form of the operation had something else refused', async () => {
    const tab = await openPage({ twice: '' })
    await tab.type('#second [name=item]', 'coffee')
    await tab.type('#second [name=address]', ' ')
    await tab.press('Enter')
    await shows(tab, 'refused')
    await fill(tab, '#first')
    lab().server.next(401)
    await tab.press('Enter')
    await shows(tab, 'paused')
    await tab.reload()
    await shows(tab, 'paused')
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
  })

  it('where the form is bound to another operation and back', async () => {
    const tab = await openPage(NATIVE)
    const bind = (operation: string) =>
      tab.evaluate(operation => {
        const form = document.querySelector<HTMLFormElement>('#own')
        form?.reset()
        if (form) window.page.bind(form, operation, { operation })
      }, operation)
    await install(tab, '<input name="item">')
    lab().server.next(401, { requests: 2 })
    for (const [operation, item] of Object.entries({ a: 'tea', b: 'coffee' })) {
      await bind(operation)
      await isIn(tab, 'idle')
      await tab.type('#own [name=item]', item)
      await tab.press('Enter')
      await isIn(tab, 'paused')
    }
    await bind('a')
    await isIn(tab, 'paused')
    expect(await entries(tab)).toEqual(['item=tea'])
    await tab.reload()
    await tab.waitFor(() => window.page !== undefined)
    await install(tab, '<input name="item">')
    await bind('b')
    await isIn(tab, 'paused')
    expect(await entries(tab)).toEqual(['item=coffee'])
  })
})

describe('what was typed is there after a reload, though the page', () => {
  it.each([
    {
      what: 'disables its fields while it is under way',
      fields: `<fieldset id="all">${ORDER}</fieldset>`,
      prepare: `new MutationObserver(() => {
        form.querySelector('#all').disabled = form.hasAttribute('aria-busy')
      }).observe(form, { attributes: true })`,
    },
    {
      what: 'shows something else in their place',
      fields: `<div id="all">${ORDER}</div>`,
      prepare: `const { innerHTML } = form.querySelector('#all')
      new MutationObserver(() => {
        form.querySelector('#all').innerHTML = form.hasAttribute('aria-busy') ? '…' : innerHTML
      }).observe(form, { attributes: true, attributeFilter: ['aria-busy'] })`,
    },
    {
      what: 'empties the form as soon as it is sent',
      fields: ORDER,
      prepare: `form.addEventListener('submit', () => setTimeout(() => form.reset()))`,
    },
  ])('$what', async ({ fields, prepare }) => {
    const tab = await openPage(NATIVE)
    await install(tab, fields, prepare)
    await fillOwn(tab)
    lab().server.next('hang-after-effect')
    await tab.press('Enter')
    await lab().arrived(1)
    await again(tab, fields, prepare, 'unknown')
    expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin'])
  })
})

describe('what was given up is not put into fields that are new', () => {
  const FIELDS = `<div id="all">${ORDER}</div>`

  it.each([
    { by: 'a sign-out', act: 'client.forget()' },
    { by: 'the client', act: `client.operation('own').discard()` },
  ])('by $by', async ({ act }) => {
    const tab = await openPage(NATIVE)
    await install(tab, FIELDS)
    await fillOwn(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await isIn(tab, 'paused')
    await again(tab, FIELDS, '', 'paused')
    expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin'])
    await tab.evaluate(act => new Function('client', `return ${act}`)(window.page.client), act)
    await isIn(tab, 'idle')
    await renew(tab)
    expect(await entries(tab)).toEqual(['item=', 'address='])
  })

  it.each(['reset', 'removed and added a row of'])('by a person who has %s it', async how => {
    const tab = await openPage(NATIVE)
    const fields = `${FIELDS}<button type="button" id="row">+</button>`
    await install(tab, fields)
    await fillOwn(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await isIn(tab, 'paused')
    await again(tab, fields, '', 'paused')
    await tab.click(how === 'reset' ? '#clear' : '#row')
    await renew(tab)
    expect(await entries(tab)).toEqual(['item=', 'address='])
  })

  /** Resolves when all that hears of new fields has heard. */
  const renew = (tab: ChromiumTab) =>
    tab.evaluate(html => {
      const all = document.querySelector('#all')
      if (all) all.innerHTML = html
      return new Promise(resolve => setTimeout(resolve))
    }, ORDER)
})

describe('what is not typed is not kept', () => {
  /** A field, and a button that shows what is in it. */
  const SHOWN_PASSWORD = [
    `${ORDER}<input type="password" name="word"><button type="button" id="show">…</button>`,
    `form.querySelector('#show').onclick = () => { form.word.type = 'text' }`,
  ] as const

  it('such as a password that is shown when another order is bound', async () => {
    const tab = await openPage(NATIVE)
    await install(tab, ...SHOWN_PASSWORD)
    await tab.type('#own [name=word]', 'hunter2')
    await tab.click('#show')
    await tab.evaluate(() => {
      const form = document.querySelector<HTMLFormElement>('#own')
      if (form) window.page.bind(form, 'own', { operation: 'next' })
    })
    await fillOwn(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await isIn(tab, 'paused')
    expect(await stored(tab)).toContain('Berlin')
    expect(await stored(tab)).not.toContain('hunter2')
  })

  it('such as a file in a custom element', async () => {
    const prepare = `customElements.get('x-file') ?? customElements.define('x-file', class extends HTMLElement {
      static formAssociated = true
      internals = this.attachInternals()
      get name() { return 'x' }
      get value() { return this.held ?? null }
      set value(is) { this.held = is; this.internals.setFormValue(is) }
    })`
    const fields = `${ORDER}<x-file name="x"></x-file>`
    const tab = await openPage(NATIVE)
    await install(
      tab,
      fields,
      `${prepare}
      form.querySelector('x-file').value = new File(['a'], 'a.txt')`,
    )
    await fillOwn(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await isIn(tab, 'paused')
    await again(tab, fields, prepare, 'paused')
    expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin'])
  })

  it('such as a password, also while it is shown', async () => {
    const tab = await openPage(NATIVE)
    await install(tab, ...SHOWN_PASSWORD)
    await fillOwn(tab)
    await tab.type('#own [name=word]', 'hunter2')
    await tab.click('#show')
    lab().server.next(401)
    await tab.click('#go')
    await isIn(tab, 'paused')
    expect(await stored(tab)).toContain('Berlin')
    expect(await stored(tab)).not.toContain('hunter2')
  })

  it.each(['<output name="price">10</output>', '<input name="price" readonly value="10">'])(
    'such as what the page has worked out: %s',
    async field => {
      const tab = await openPage(NATIVE)
      await install(tab, ORDER + field)
      await fillOwn(tab)
      lab().server.next(401)
      await tab.press('Enter')
      await isIn(tab, 'paused')
      await again(tab, ORDER + field.replace('10', '12'), '', 'paused')
      const price = () => document.querySelector<HTMLInputElement>('#own [name=price]')?.value
      expect(await tab.evaluate(price)).toBe('12')
    },
  )

  it.each([
    ['section-office street-address', true],
    ['OFF', false],
  ])('by what autocomplete says: %s', async (autocomplete, isKept) => {
    const tab = await openPage(NATIVE)
    await install(tab, `${ORDER}<input name="more" autocomplete="${autocomplete}">`)
    await fillOwn(tab)
    await tab.type('#own [name=more]', 'second floor')
    lab().server.next(401)
    await tab.press('Enter')
    await isIn(tab, 'paused')
    expect((await stored(tab)).includes('second floor')).toBe(isKept)
  })
})

it('a field of the page’s own that throws keeps none of the others, and is reported', async () => {
  const fields = '<input name="item"><x-loud name="x"></x-loud><input name="address">'
  const prepare = `customElements.get('x-loud') ?? customElements.define('x-loud', class extends HTMLElement {
    static formAssociated = true
    get name() { return 'x' }
    get value() { return 'kept' }
    set value(is) { throw new Error('thrown by a setter') }
  })
  if (form.hidden) return`
  const tab = await openPage(NATIVE)
  await install(tab, fields, prepare)
  await fillOwn(tab)
  await tab.evaluate(() => {
    Object.defineProperty(document.querySelector('x-loud'), 'value', { value: 'other' })
  })
  lab().server.next(401)
  await tab.press('Enter')
  await isIn(tab, 'paused')
  await again(tab, fields, prepare, 'paused')
  expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin'])
  const errors = tab.takeErrors()
  expect(errors).toHaveLength(1)
  expect(errors[0]).toContain('thrown by a setter')
})

it('twice as many fields are twice as much work', async () => {
  const looks: number[] = []
  for (const count of [200, 400]) {
    const boxes = Array.from({ length: count }, (_, at) => `<input type="checkbox" name="c${at}">`)
    const tab = await openPage(NATIVE)
    await install(
      tab,
      ORDER + boxes.join(''),
      `for (const box of form.querySelectorAll('[type=checkbox]')) box.checked = true`,
    )
    await fillOwn(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await isIn(tab, 'paused')
    await tab.evaluate(() => window.page.client.idle())
    const prepare = `const { matches } = Element.prototype
      window.looks = 0
      Element.prototype.matches = function (selector) { window.looks += 1; return matches.call(this, selector) }`
    await again(tab, ORDER + boxes.join(''), prepare, 'paused')
    expect(await entries(tab)).toHaveLength(count + 2)
    looks.push(Number(await tab.evaluate(() => Reflect.get(window, 'looks'))))
    await tab.evaluate(() => window.page.client.operation('own').discard())
  }
  const [few = 0, many = 0] = looks
  expect(few).toBeGreaterThan(200)
  expect(many / few).toBeLessThan(2.1)
})
