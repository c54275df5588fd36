import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { oneFormLab } from './form-lab.ts'
import { NATIVE, ORDER, oneOwnForm } from './own-form.ts'

// What a second press of a form means, and what is seen and heard once the first has succeeded.

const formLab = oneFormLab()
const { lab, openPage } = formLab
const { install, fillOwn, isIn, entries, again } = oneOwnForm(formLab)

/** As many apps do: nothing can be typed while it is under way. */
const DISABLES = `new MutationObserver(() => {
  form.querySelector('fieldset').disabled = form.ariaBusy === 'true'
}).observe(form, { attributeFilter: ['aria-busy'] })`
const IN_FIELDSET = `<fieldset>${ORDER}</fieldset>`

const status = (tab: ChromiumTab) =>
  tab.evaluate(() => document.querySelector('#own [data-sendonce-status]')?.textContent)

describe('a form whose fields are disabled while it is under way', () => {
  it('orders what was typed where it is pressed again while it waits', async () => {
    const tab = await openPage(NATIVE)
    await install(tab, IN_FIELDSET, DISABLES)
    await fillOwn(tab)
    lab().server.next({ is: 'status', status: 429, retryAfter: 1 })
    await tab.click('#go')
    await isIn(tab, 'waiting')
    await tab.click('#go')
    await isIn(tab, 'succeeded')
    expect(lab().orders()).toMatchObject([{ item: 'tea' }])
    expect(lab().bodies()).toHaveLength(1)
  })

  it('is back after a reload, pressed twice or not', async () => {
    const tab = await openPage(NATIVE)
    await install(tab, IN_FIELDSET, DISABLES)
    await fillOwn(tab)
    lab().server.next('hang-after-effect')
    await tab.click('#go', { times: 2, gapMs: 200 })
    await lab().arrived(1)
    await again(tab, IN_FIELDSET, DISABLES, 'unknown')
    expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin'])
  })

  it.each([
    ['changed', `form.size[0].value = 'm'`],
    ['removed', `form.size[1].remove()`],
    ['added', `form.size[1].after(form.size[1].cloneNode())`],
    ['swapped', `form.size[0].before(form.size[1])`],
    ['disabled and changed', `Object.assign(form.size[0], { disabled: true, value: 'm' })`],
  ])('sends what a script has %s meanwhile', async (_, act) => {
    const tab = await openPage(NATIVE)
    const size = (value: string) => `<input type="hidden" name="size" value="${value}">`
    await install(tab, ORDER + size('s') + size('l'))
    await fillOwn(tab)
    lab().server.next({ is: 'status', status: 429, retryAfter: 1 })
    await tab.click('#go')
    await isIn(tab, 'waiting')
    await tab.evaluate(act => new Function('form', act)(document.querySelector('#own')), act)
    await tab.click('#go')
    await isIn(tab, 'succeeded')
    expect(lab().orders()).toHaveLength(1)
    expect(lab().bodies()).toHaveLength(2)
  })
})

describe('a page that goes on to its next operation with the success', () => {
  const CARTS = `let cart = 1
    form.insertAdjacentHTML('beforeend', '<p data-sendonce-status></p>')
    form.insertAdjacentHTML('beforeend', '<button data-sendonce-resume hidden>Send again</button>')
    const next = () => window.page.bind(form, 'own', { operation: 'cart-' + cart++, onSuccess: next })
    queueMicrotask(next)`

  const done = (tab: ChromiumTab, cart: number) =>
    tab.waitFor(
      name => window.page.client.operation(name).getSnapshot().state === 'succeeded',
      `cart-${cart}`,
    )

  /** The first cart is ordered, and the form is the second one's. */
  const orderedFirst = async (fields: string) => {
    const tab = await openPage(NATIVE)
    await install(tab, fields, CARTS)
    if (fields === ORDER) await fillOwn(tab)
    await tab.click('#go')
    await done(tab, 1)
    await isIn(tab, 'idle')
    return tab
  }

  it('has one order of a double click that the server was quicker than', async () => {
    const tab = await orderedFirst(ORDER)
    await tab.click('#go')
    await tab.waitFor(() => document.querySelector<HTMLInputElement>('#own input')?.value === '')
    expect(lab().orders()).toHaveLength(1)
    // Whatever is typed then is another one.
    await fillOwn(tab)
    await tab.click('#go')
    await done(tab, 2)
    expect(lab().orders()).toHaveLength(2)
  })

  it('takes one press after the other where there is nothing to type', async () => {
    const hidden =
      '<input type="hidden" name="item" value="tea"><input type="hidden" name="address" value="x">'
    const tab = await orderedFirst(hidden)
    await tab.click('#go')
    await done(tab, 2)
    expect(lab().orders()).toHaveLength(2)
  })

  it('says nothing of what was given up after it', async () => {
    const tab = await orderedFirst(ORDER)
    lab().server.next(401)
    await tab.type('#own [name=item]', 'pot')
    await tab.click('#go')
    await isIn(tab, 'paused')
    await tab.evaluate(() => window.page.client.operation('cart-2').discard())
    await isIn(tab, 'idle')
    expect(await status(tab)).toBe('')
  })

  it('still says that it is done', async () => {
    const tab = await orderedFirst(ORDER)
    expect(await status(tab)).toBe('Done.')
  })

  it('leaves the focus on the button that has sent it', async () => {
    const tab = await openPage(NATIVE)
    await install(tab, ORDER, CARTS)
    await fillOwn(tab)
    lab().server.next(401)
    await tab.click('#go')
    await isIn(tab, 'paused')
    await tab.click('#own [data-sendonce-resume]')
    await done(tab, 1)
    await isIn(tab, 'idle')
    expect(
      await tab.evaluate(() => document.activeElement?.matches('[data-sendonce-resume]')),
    ).toBe(true)
  })
})

it('a page that resets its form with the success still says that it is done', async () => {
  const tab = await openPage(NATIVE)
  await install(
    tab,
    `${ORDER}<p data-sendonce-status></p>`,
    `queueMicrotask(() => window.page.bind(form, 'own', { operation: 'own', onSuccess: () => form.reset() }))`,
  )
  await fillOwn(tab)
  await tab.click('#go')
  await tab.waitFor(() => document.querySelector<HTMLInputElement>('#own input')?.value === '')
  expect(await status(tab)).toBe('Done.')
})

describe('a page that is left with the success', () => {
  const leaves = (how: string) =>
    `queueMicrotask(() => window.page.bind(form, 'own', { operation: 'own', onSuccess: () => ${how} }))`

  it.each(['location.reload()', `location.assign('/blank.html')`])(
    'is not told of it again: %s',
    async how => {
      const tab = await openPage(NATIVE)
      await install(tab, ORDER, leaves(how))
      await fillOwn(tab)
      await tab.click('#go')
      await lab().arrived(1)
      await tab.waitFor(() => document.querySelector('#own') === null)
      await again(tab, ORDER, '', 'idle')
      await tab.evaluate(() => window.page.client.idle())
      expect(await tab.evaluate(() => window.page.told)).toEqual([])
      expect(await tab.evaluate(() => window.page.client.unsettled())).toEqual([])
    },
  )

  it('has an empty form for whoever comes back', async () => {
    const tab = await openPage(NATIVE)
    // It is not kept in the cache: the browser makes it anew, and puts back what was in it.
    await tab.evaluate(() => addEventListener('unload', () => {}))
    await tab.type('#first [name=item]', 'tea')
    await tab.type('#first [name=address]', 'Berlin')
    await tab.press('Enter')
    await tab.waitFor(
      () => document.querySelector('#first[data-sendonce-state=succeeded]') !== null,
    )
    await tab.evaluate(() => location.assign('/blank.html'))
    await tab.waitFor(() => location.pathname === '/blank.html')
    expect((await tab.back()).fromCache).toBe(false)
    await tab.waitFor(() => document.querySelector('#first[data-sendonce-state=idle]') !== null)
    expect(
      await tab.evaluate(() => document.querySelector<HTMLInputElement>('#first input')?.value),
    ).toBe('')
  })
})

it('two forms with one status say each sentence once', async () => {
  const tab = await openPage()
  await tab.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<p id="both"></p>')
    const status = document.querySelector<HTMLElement>('#both') as HTMLElement
    const heard: (string | null)[] = []
    Object.assign(window, { both: heard })
    new MutationObserver(changes => {
      for (const { addedNodes } of changes) for (const is of addedNodes) heard.push(is.textContent)
    }).observe(status, { childList: true, subtree: true })
    for (const form of document.querySelectorAll('form')) {
      window.page.bind(form, 'both', { operation: 'both', status })
    }
  })
  lab().server.next(422)
  await tab.type('#first [name=item]', 'tea')
  await tab.press('Enter')
  await tab.waitFor(() => document.querySelector('#first[data-sendonce-state=refused]') !== null)
  expect(await tab.evaluate(() => Reflect.get(window, 'both'))).toEqual([
    'Sending…',
    'Refused: 422',
  ])
})

it('a form of a dialog that only closes orders nothing', async () => {
  const tab = await openPage()
  await tab.evaluate(() => {
    const html = `<dialog><form method="dialog" id="own"><input name="item" value="tea"><button>Cancel</button></form></dialog>`
    document.body.insertAdjacentHTML('beforeend', html)
    const form = document.querySelector<HTMLFormElement>('#own')
    if (form) window.page.bind(form, 'own', { operation: 'own' })
    document.querySelector('dialog')?.showModal()
  })
  await tab.click('#own button')
  await tab.waitFor(() => document.querySelector('dialog[open]') === null)
  await tab.evaluate(() => window.page.client.idle())
  expect(lab().arrivals()).toEqual([])
})
