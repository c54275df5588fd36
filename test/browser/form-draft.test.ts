import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneFormLab } from './form-lab.ts'
import { NATIVE, oneOwnForm } from './own-form.ts'

const { lab, url, openPage } = oneFormLab()

const { install, isIn, entries, interrupt } = oneOwnForm({ lab, url, openPage })

const GIFT = '<input name="item"><input type="checkbox" name="gift">'

describe('what was typed is there again, and is the same order', () => {
  it.each([
    {
      what: 'a field that another one shows',
      fields: GIFT,
      prepare: `form.gift.onchange = () => form.gift.checked
        ? form.gift.insertAdjacentHTML('afterend', '<input name="note">') : form.note?.remove()`,
    },
    {
      what: 'a field that another one shows a moment later',
      fields: GIFT,
      prepare: `form.gift.onchange = () => Promise.resolve().then(() => form.gift.checked
        ? form.gift.insertAdjacentHTML('afterend', '<input name="note">') : form.note?.remove())`,
    },
    {
      what: 'a field that another one enables',
      fields: `${GIFT}<input name="note" disabled>`,
      prepare: 'form.gift.onchange = () => { form.note.disabled = !form.gift.checked }',
    },
  ])('in $what', async ({ fields, prepare }) => {
    const { tab, before } = await interrupt(fields, prepare, async tab => {
      await tab.type('#own [name=item]', 'tea')
      await tab.click('#own [name=gift]')
      await tab.type('#own [name=note]', 'for you')
    })
    expect(before).toEqual(['item=tea', 'gift=on', 'note=for you'])
    await tab.waitFor(() => document.querySelector<HTMLInputElement>('[name=note]')?.value !== '')
    expect(await entries(tab)).toEqual(before)
    await tab.click('#go')
    await isIn(tab, 'succeeded')
    expect(lab().keys()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })

  it.each([
    {
      what: 'a field that another one shows later',
      fields: GIFT,
      prepare: `form.gift.onchange = () => setTimeout(() =>
        form.gift.insertAdjacentHTML('afterend', '<input name="note">'), 100)`,
      act: async (tab: ChromiumTab) => {
        await tab.click('#own [name=gift]')
        await tab.waitFor(() => document.querySelector('[name=note]') !== null)
        await tab.type('#own [name=note]', 'for you')
      },
      note: 'for you',
    },
    {
      what: 'a list whose options come later',
      fields: '<select name="note"><option>s</select>',
      prepare: `setTimeout(() => form.note.add(new Option('m')), 100)`,
      act: async (tab: ChromiumTab) => {
        await tab.waitFor(() => document.querySelector('[name=note] option + option') !== null)
        await tab.type('#own [name=note]', 'm')
      },
      note: 'm',
    },
    {
      what: 'a list that is made anew later, with other options',
      fields: '<select name="note"><option>s<option>l</select>',
      prepare: `setTimeout(() => { form.note.outerHTML =
        '<select name="note" id="new"><option>s<option>m<option>l</select>' }, 100)`,
      act: async (tab: ChromiumTab) => {
        await tab.waitFor(() => document.querySelector('#new') !== null)
        await tab.type('#new', 'm')
      },
      note: 'm',
    },
  ])('in $what', async ({ fields, prepare, act, note }) => {
    const { tab, before } = await interrupt(fields, prepare, act)
    expect(before.at(-1)).toBe(`note=${note}`)
    await tab.waitFor(
      note => document.querySelector<HTMLInputElement>('#own [name=note]')?.value === note,
      note,
    )
    expect(await entries(tab)).toEqual(before)
  })

  it('though the clock was set back meanwhile', async () => {
    const { tab, before } = await interrupt(
      '<input name="item">',
      `if (sessionStorage.again) {
        const { now } = Date
        Date.now = () => now() - 3_600_000
      }
      sessionStorage.again = 'yes'`,
      tab => tab.type('#own [name=item]', 'tea'),
    )
    expect(before).toEqual(['item=tea'])
    expect(await entries(tab)).toEqual(before)
  })

  it('in a field outside of the form that has come since', async () => {
    const fields = '<input name="item">'
    const outside = '<input name="note" form="own" id="outside">'
    const { tab } = await interrupt(fields, '', tab => tab.type('#own [name=item]', 'tea'))
    await tab.evaluate(html => document.body.insertAdjacentHTML('beforeend', html), outside)
    await tab.type('#outside', 'ring')
    await tab.open(url(NATIVE))
    await tab.waitFor(() => window.page !== undefined)
    const insert = `document.body.insertAdjacentHTML('beforeend', '${outside}')`
    await install(tab, fields, insert)
    await isIn(tab, 'unknown')
    expect(await entries(tab)).toEqual(['item=tea', 'note=ring'])
  })

  it('though fields are called like what forms have of their own', async () => {
    const names = ['elements', 'contains', 'addEventListener', 'getRootNode', 'autocomplete']
    const more = ['querySelectorAll', 'getAttribute', 'setAttribute', 'removeAttribute', 'append']
    const { tab, before } = await interrupt(
      [...names, ...more, 'reset', 'action', 'matches', 'dispatchEvent']
        .map(name => `<input name="${name}">`)
        .join(''),
      '',
      tab => tab.type('#own [name=elements]', 'tea'),
    )
    expect(before[0]).toBe('elements=tea')
    expect(await entries(tab)).toEqual(before)
    await tab.click('#go')
    await isIn(tab, 'succeeded')
    await tab.waitFor(
      () => document.querySelector<HTMLInputElement>('[name=elements]')?.value === '',
    )
    expect(lab().orders()).toHaveLength(1)
    expect(tab.takeErrors()).toEqual([])
  })

  it('in several fields of one name, of any kind', async () => {
    const list = '<select name="size"><option>s<option>m</select>'
    const { tab, before } = await interrupt(
      `${list}${list}<input type="radio" name="color" value="red"><input type="radio" name="color" value="other">
      <input name="color"><input type="checkbox" name="agree"><input type="checkbox" name="agree">`,
      '',
      async tab => {
        await tab.type('#own select + select', 'm')
        await tab.click('#own [value=other]')
        await tab.type('#own [name=color]:not([type])', 'mauve')
        await tab.click('#own [name=agree] + [name=agree]')
      },
    )
    expect(before).toEqual(['size=s', 'size=m', 'color=other', 'color=mauve', 'agree=on'])
    expect(await entries(tab)).toEqual(before)
    expect(await tab.evaluate(() => document.querySelectorAll('[name=agree]:checked').length)).toBe(
      1,
    )
  })

  it.each(["['a', 'b']", "{ theme: 'dark' }"])(
    'in a custom element that has options of its own: %s',
    async options => {
      const { tab, before } = await interrupt(
        '<input name="item"><x-field name="x"></x-field><input name="address">',
        `customElements.get('x-field') ?? customElements.define('x-field', class extends HTMLElement {
          static formAssociated = true
          options = ${options}
          internals = this.attachInternals()
          get name() { return this.getAttribute('name') }
          get value() { return this.held ?? '' }
          set value(held) { this.held = held; this.internals.setFormValue(held) }
        })`,
        async tab => {
          await tab.type('#own [name=item]', 'tea')
          await tab.type('#own [name=address]', 'Berlin')
          await tab.evaluate(() => {
            Object.assign(document.querySelector('x-field') ?? {}, { value: 'dark' })
          })
        },
      )
      expect(before).toEqual(['item=tea', 'x=dark', 'address=Berlin'])
      expect(await entries(tab)).toEqual(before)
    },
  )

  it('though a list has the focus', async () => {
    const { tab, before } = await interrupt(
      '<select name="size"><option>s<option>m</select>',
      'form.size.focus()',
      tab => tab.type('#own [name=size]', 'm'),
    )
    expect(before).toEqual(['size=m'])
    expect(await entries(tab)).toEqual(before)
  })

  it('though the same name is typed into a field of another form that lies in this one', async () => {
    const other = '<input name="item" form="second" id="other">'
    const { tab, before } = await interrupt(
      `<input name="item">${other}`,
      `queueMicrotask(() =>
        form.querySelector('#other').dispatchEvent(new Event('input', { bubbles: true })))`,
      tab => tab.type('#own [name=item]', 'tea'),
    )
    expect(before).toEqual(['item=tea'])
    expect(await entries(tab)).toEqual(before)
  })

  it('though another form of the same operation lies beside it', async () => {
    const tab = await openPage({ twice: '' })
    lab().server.next(422, { requests: 1 })
    await tab.type('#first [name=item]', 'tea')
    await tab.press('Enter')
    await tab.waitFor(() => document.querySelector('#first[data-sendonce-state=refused]') !== null)
    await tab.reload()
    await tab.waitFor(() => document.querySelector('#first[data-sendonce-state=refused]') !== null)
    await tab.type('#first [name=address]', 'Berlin')
    lab().server.next('hang-after-effect')
    await tab.press('Enter')
    await lab().arrived(2)
    await tab.reload()
    await tab.waitFor(() => document.querySelector('#first[data-sendonce-state=unknown]') !== null)
    expect(
      await tab.evaluate(() => document.querySelector<HTMLInputElement>('[name=address]')?.value),
    ).toBe('Berlin')
  })
})

it('a page that tells itself of a field that it has just made does not type', async () => {
  const { tab, before } = await interrupt(
    GIFT,
    `form.gift.onchange = () => setTimeout(() => {
      form.gift.insertAdjacentHTML('afterend', '<input name="note">')
      form.note.dispatchEvent(new Event('input', { bubbles: true }))
    }, 50)`,
    async tab => {
      await tab.type('#own [name=item]', 'tea')
      await tab.click('#own [name=gift]')
      await tab.waitFor(() => document.querySelector('[name=note]') !== null)
      await tab.type('#own [name=note]', 'for you')
    },
  )
  await tab.waitFor(
    () => document.querySelector<HTMLInputElement>('#own [name=note]')?.value === 'for you',
  )
  expect(await entries(tab)).toEqual(before)
})

it('what is put back sends nothing, though the page sends whatever is changed', async () => {
  const { tab, before } = await interrupt(
    '<input name="item"><select name="size"><option>s<option>m</select><input name="note">',
    `form.size.onchange = () => window.page.told.push('changed') && form.requestSubmit()`,
    async tab => {
      await tab.type('#own [name=item]', 'tea')
      await tab.type('#own [name=note]', 'ring')
      await tab.evaluate(() => {
        const size = document.querySelector<HTMLSelectElement>('#own [name=size]')
        if (size) size.value = 'm'
      })
    },
  )
  expect(await entries(tab)).toEqual(before)
  await tab.evaluate(() => window.page.client.idle())
  expect(await tab.evaluate(() => window.page.told)).toEqual(['changed'])
  expect(lab().arrivals()).toHaveLength(1)
})

it('nothing is put back into what comes once somebody has typed', async () => {
  const { tab } = await interrupt(GIFT, '', async tab => {
    await tab.evaluate(() =>
      document.querySelector('#own')?.insertAdjacentHTML('afterbegin', '<input name="note">'),
    )
    await tab.type('#own [name=note]', 'for you')
    await tab.type('#own [name=item]', 'tea')
  })
  await tab.type('#own [name=item]', 's')
  await tab.evaluate(() =>
    document.querySelector('#own')?.insertAdjacentHTML('beforeend', '<input name="note">'),
  )
  await tab.evaluate(() => new Promise(resolve => setTimeout(resolve)))
  expect(await entries(tab)).toEqual(['item=teas', 'note='])
})

it('a page that makes a field anew whenever it is put back has its way', async () => {
  const { tab } = await interrupt(
    '<input name="item">',
    `form.addEventListener('input', ({ target }) => {
      if (target.name === 'item') Promise.resolve().then(() => { target.outerHTML = '<input name="item">' })
    })`,
    async tab => {
      await tab.evaluate(() => {
        const item = document.querySelector<HTMLInputElement>('#own [name=item]')
        if (item) item.value = 'tea'
      })
    },
  )
  await tab.evaluate(() => new Promise(resolve => setTimeout(resolve)))
  expect(await entries(tab)).toEqual(['item='])
})

it('a reset that the page prevents gives nothing up', async () => {
  const tab = await openPage(NATIVE)
  await install(tab, '<input name="item">', 'form.onreset = () => false')
  lab().server.next(422)
  await tab.type('#own [name=item]', 'tea')
  await tab.press('Enter')
  await isIn(tab, 'refused')
  await tab.click('#clear')
  await isIn(tab, 'refused')
  expect(await tab.evaluate(() => sessionStorage.length)).toBe(1)
})
