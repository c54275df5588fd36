import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { buttons, emptied, fill, message, oneFormLab, shows, told, typed } from './form-lab.ts'
import { NATIVE, ORDER, oneOwnForm } from './own-form.ts'

// What pages do to their own forms, and what then is still true of them.

const formLab = oneFormLab()
const { lab, openPage, openInterrupted, hold, answer } = formLab
const { install, fillOwn, isIn, entries, again } = oneOwnForm(formLab)

/** What is in the two fields of the second form. */
const typedIntoSecond = (tab: ChromiumTab) =>
  tab.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('#second input')].map(({ value }) => value),
  )

describe('a button that a listener before', () => {
  it.each(['removes', 'turns into another one', 'gives to another form'])(
    '%s has sent the order all the same',
    async what => {
      const act = {
        removes: 'button.remove()',
        'turns into another one': `button.type = 'button'`,
        'gives to another form': `button.setAttribute('form', 'second')`,
      }[what]
      const tab = await openPage(NATIVE)
      await install(
        tab,
        ORDER,
        `form.addEventListener('submit', ({ submitter: button }) => { ${act} })
        const { fetch } = window
        window.fetch = async (...input) => {
          const request = new Request(...input)
          window.page.told.push(await request.clone().text())
          return fetch(request)
        }`,
      )
      await fillOwn(tab)
      await tab.evaluate(() => {
        const button = document.querySelector<HTMLButtonElement>('#go')
        Object.assign(button ?? {}, { name: 'by', value: 'go' })
      })
      await tab.click('#go')
      await isIn(tab, 'succeeded')
      expect(await told(tab)).toEqual(['item=tea&address=Berlin&by=go', 'own: onSuccess order-1'])
      expect(lab().orders()).toHaveLength(1)
    },
  )
})

describe('a button outside of a form that was removed', () => {
  it.each(['resume', 'discard'])('does nothing to its operation: %s', async name => {
    const tab = await openPage(NATIVE)
    await tab.evaluate(
      html => document.body.insertAdjacentHTML('beforeend', html),
      `<button form="cart" id="act" data-sendonce-${name} hidden>…</button>`,
    )
    lab().server.next(401, { requests: 2 })
    for (const operation of ['cart-1', 'cart-2']) {
      await tab.evaluate(operation => {
        document.querySelector('#cart')?.remove()
        const html = `<form id="cart" action="/api/orders" method="post">
          <input name="item" value="tea"><input name="address"><button>Order</button></form>`
        document.querySelector('main')?.insertAdjacentHTML('beforeend', html)
        const form = document.querySelector<HTMLFormElement>('#cart')
        if (form) window.page.bind(form, operation, { operation })
      }, operation)
      await tab.type('#cart [name=address]', operation)
      await tab.press('Enter')
      await tab.waitFor(() => document.querySelector('#cart[data-sendonce-state=paused]') !== null)
    }
    await tab.click('#act')
    const ended = name === 'resume' ? 'succeeded' : 'idle'
    await tab.waitFor(
      ended => document.querySelector(`#cart[data-sendonce-state=${ended}]`) !== null,
      ended,
    )
    await tab.evaluate(() => window.page.client.idle())
    const states = await tab.evaluate(() =>
      ['cart-1', 'cart-2'].map(name => window.page.client.operation(name).getSnapshot().state),
    )
    expect(states).toEqual(['paused', ended])
    expect(lab().orders()).toHaveLength(name === 'resume' ? 1 : 0)
  })
})

describe('a form whose text nobody has ordered stays as it is', () => {
  it('where another form of the operation has succeeded with something else', async () => {
    const tab = await openPage({ twice: '' })
    await tab.type('#second [name=item]', 'tea')
    await tab.type('#second [name=address]', ' ')
    await tab.press('Enter')
    await shows(tab, 'refused')
    await fill(tab, '#first')
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    await emptied(tab)
    expect(await typedIntoSecond(tab)).toEqual(['tea', ' '])
    expect(await typed(tab)).toEqual(['', '', ''])
  })

  it.each(['given up', 'refused'])('where another tab orders after it was %s here', async how => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(how === 'refused' ? 422 : 401)
    await tab.press('Enter')
    await shows(tab, how === 'refused' ? 'refused' : 'paused')
    if (how === 'given up') {
      await tab.click('[data-sendonce-discard]')
      await shows(tab, 'idle')
    }
    const other = await openPage()
    await other.type('#first [name=item]', 'coffee')
    await other.type('#first [name=address]', 'Paris')
    await other.press('Enter')
    await shows(other, 'succeeded')
    await tab.show()
    await shows(tab, 'succeeded')
    await emptied(tab)
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
  })

  it.each([
    { what: 'typed into a field without a name', field: '<input id="more">' },
    {
      what: 'chosen as another file of the same name',
      field: '<input type="file" id="more" name="photo">',
    },
  ])('where something was $what meanwhile', async ({ field }) => {
    const tab = await openPage(NATIVE)
    await install(tab, ORDER + field)
    await fillOwn(tab)
    const choose = (text: string) =>
      tab.evaluate(text => {
        const data = new DataTransfer()
        data.items.add(new File([text], 'image.jpg'))
        const input = document.querySelector<HTMLInputElement>('#more')
        if (input?.type === 'file') input.files = data.files
        else if (input) input.value = text
      }, text)
    await choose('before')
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    await choose('since')
    await answer()
    await isIn(tab, 'succeeded')
    await emptied(tab)
    expect((await entries(tab)).slice(0, 2)).toEqual(['item=tea', 'address=Berlin'])
  })
})

describe('a form whose text nobody has ordered stays after a reload and Send again', () => {
  it.each([false, true])(
    'though it was typed since the submit, and refused as another: %s',
    async pressed => {
      const tab = await openInterrupted()
      await tab.type('#first [name=item]', ' with milk')
      if (pressed) {
        await tab.press('Enter')
        await tab.waitFor(() => window.page.told.includes('first: onError payload-changed'))
      }
      await tab.reload()
      await shows(tab, 'unknown')
      expect(await typed(tab)).toEqual(['tea with milk', 'Berlin', ''])
      await tab.click('[data-sendonce-resume]')
      await shows(tab, 'succeeded')
      await emptied(tab)
      expect(await typed(tab)).toEqual(['tea with milk', 'Berlin', ''])
    },
  )
})

describe('a form that was ordered is emptied', () => {
  it('where it was taken away and came again meanwhile', async () => {
    const tab = await openPage(NATIVE)
    await install(tab, ORDER)
    await fillOwn(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    await tab.evaluate(() => document.querySelector('#own')?.remove())
    await install(tab, ORDER)
    await isIn(tab, 'sending')
    expect(await entries(tab)).toEqual(['item=tea', 'address=Berlin'])
    await answer()
    await isIn(tab, 'succeeded')
    await emptied(tab)
    expect(await entries(tab)).toEqual(['item=', 'address='])
  })

  it('where it was corrected while the server had it wait', async () => {
    const tab = await openPage(NATIVE)
    await install(tab, ORDER)
    await fillOwn(tab)
    lab().server.next({ is: 'status', status: 429, retryAfter: 20 })
    await tab.press('Enter')
    await isIn(tab, 'waiting')
    await tab.type('#own [name=item]', ' with milk')
    await tab.press('Enter')
    await isIn(tab, 'succeeded')
    await emptied(tab)
    expect(await entries(tab)).toEqual(['item=', 'address='])
    expect(lab().orders()).toMatchObject([{ item: 'tea with milk' }])
  })

  it.each([
    {
      what: 'renews what is hidden in it',
      fields: `<input type="hidden" name="nonce" value="1">${ORDER}`,
      prepare: `form.addEventListener('submit', () => setTimeout(() => { form.nonce.value = '2' }))`,
    },
    {
      what: 'has an output for its status',
      fields: `${ORDER}<output data-sendonce-status></output>`,
      prepare: '',
    },
    {
      what: 'changes and adds buttons with its state',
      fields: `${ORDER}<input type="submit" value="Order">`,
      prepare: `new MutationObserver(() => {
        const { sendonceState: state } = form.dataset
        form.querySelector('[type=submit]').value = state
        if (state === 'succeeded') form.insertAdjacentHTML('beforeend', '<button type="button">Print</button>')
      }).observe(form, { attributeFilter: ['data-sendonce-state'] })`,
    },
    {
      what: 'has an element that answers with a list',
      fields: `${ORDER}<x-list name="x"></x-list>`,
      prepare: `customElements.get('x-list') ?? customElements.define('x-list', class extends HTMLElement {
        static formAssociated = true
        get value() { return ['a'] }
      })`,
    },
    {
      what: 'adds the time to what is sent',
      fields: ORDER,
      prepare: `form.addEventListener('formdata', ({ formData }) => formData.append('at', performance.now()))`,
    },
  ])('where the page $what', async ({ fields, prepare }) => {
    const tab = await openPage(NATIVE)
    await install(tab, fields, prepare)
    await fillOwn(tab)
    await tab.press('Enter')
    await isIn(tab, 'succeeded')
    await tab.waitFor(
      () => document.querySelector<HTMLInputElement>('#own [name=item]')?.value === '',
    )
  })
})

describe('a picture that submits', () => {
  const fields = `${ORDER}<input type="image" id="picture" alt="Order" width="100" height="50">`

  /** So many pixels from its corner. */
  async function clickAt(tab: ChromiumTab, offset: number): Promise<void> {
    const corner = await tab.evaluate(() => {
      document.querySelector('#picture')?.scrollIntoView()
      return document.querySelector('#picture')?.getBoundingClientRect().toJSON()
    })
    for (const type of ['mousePressed', 'mouseReleased'] as const) {
      const at = { x: corner.x + offset, y: corner.y + offset }
      await tab.cdp.send('Input.dispatchMouseEvent', { type, ...at, button: 'left', clickCount: 1 })
    }
  }

  it('orders once where it is clicked twice, at one place and another', async () => {
    const tab = await openPage(NATIVE)
    await install(tab, fields)
    await fillOwn(tab)
    hold()
    await clickAt(tab, 10)
    await clickAt(tab, 20)
    await answer()
    await isIn(tab, 'succeeded')
    await tab.evaluate(() => window.page.client.idle())
    expect(await told(tab)).toEqual(['own: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
  })

  it('sends the same again after a reload, wherever it is clicked', async () => {
    const tab = await openPage(NATIVE)
    await install(tab, fields)
    await fillOwn(tab)
    lab().server.next('hang-after-effect')
    await clickAt(tab, 10)
    await lab().arrived(1)
    await again(tab, fields, '', 'unknown')
    await clickAt(tab, 20)
    await isIn(tab, 'succeeded')
    expect(lab().keys()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })
})

it('a form in a frame is sent to where that frame would send it', async () => {
  const tab = await openPage(NATIVE)
  const addresses = await tab.evaluate(async () => {
    const frame = document.createElement('iframe')
    frame.srcdoc =
      '<base href="/api/"><form action="orders" method="post"><input name="item" value="tea"></form>'
    document.body.append(frame)
    await new Promise(resolve => frame.addEventListener('load', resolve))
    const form = frame.contentDocument?.querySelector('form')
    if (!form) return []
    const sent = new Promise<string>(resolve => {
      const { fetch } = window
      window.fetch = (...input) => {
        resolve(new Request(...input).url)
        return fetch(...input)
      }
    })
    window.page.bind(form, 'own', { operation: 'own' })
    form.requestSubmit()
    return [form.action, await sent]
  })
  expect(addresses[0]).toContain('/api/orders')
  expect(addresses[1]).toBe(addresses[0])
})

it('whoever signs in while it is under way sees nothing of it', async () => {
  const tab = await openPage({ who: 'ada' })
  await fill(tab)
  hold()
  await tab.press('Enter')
  await lab().arrived(1)
  await tab.evaluate(async () => {
    window.who = 'bob'
    // Whatever makes the page look again.
    window.page.client.operation('checkout').getSnapshot()
    await window.page.client.unsettled()
  })
  await shows(tab, 'idle')
  expect(await message(tab)).toBe('')
  await answer()
  await tab.evaluate(() => window.page.client.idle())
  expect(await message(tab)).toBe('')
})

it('a region that is an alert is not made less urgent', async () => {
  const tab = await openPage()
  await tab.evaluate(() => {
    document.body.insertAdjacentHTML('beforeend', '<p id="alert" role="alert"></p>')
    const [form] = document.querySelectorAll('form')
    const status = document.querySelector<HTMLElement>('#alert')
    if (form && status) window.page.bind(form, 'first', { status })
  })
  await fill(tab)
  await tab.press('Enter')
  await shows(tab, 'succeeded')
  const region = () => {
    const { role, ariaLive, textContent } = document.querySelector('#alert') ?? {}
    return [role, ariaLive, textContent]
  }
  expect(await tab.evaluate(region)).toEqual(['alert', 'assertive', 'Done.'])
})

it('a form is bound before it is in the page, whatever its fields are called', async () => {
  const tab = await openPage(NATIVE)
  await tab.evaluate(() => {
    const form = document.createElement('form')
    Object.assign(form, { id: 'own', action: '/api/orders', method: 'post' })
    form.innerHTML = `<input name="item"><input name="querySelectorAll"><input name="addEventListener">`
    window.page.bind(form, 'own', { operation: 'own' })
    document.querySelector('main')?.append(form)
  })
  await tab.type('#own [name=item]', 'tea')
  await tab.evaluate(() => document.querySelector<HTMLFormElement>('#own')?.requestSubmit())
  await isIn(tab, 'succeeded')
  expect(lab().orders()).toHaveLength(1)
})

it('another order can be given after a sign-out, once the one before is given up', async () => {
  const tab = await openPage()
  await fill(tab)
  lab().server.next('hang-after-effect')
  await tab.press('Enter')
  await lab().arrived(1)
  await tab.reload()
  await shows(tab, 'unknown')
  await tab.evaluate(() => window.page.client.forget())
  await shows(tab, 'idle')
  expect(await buttons(tab)).toEqual([])
  await tab.type('#first [name=item]', ' with milk')
  await tab.press('Enter')
  await tab.waitFor(() => window.page.told.length > 0)
  expect(await told(tab)).toEqual(['first: onError payload-changed'])
  expect(await message(tab)).toContain('sent before with other details')
  expect(await buttons(tab)).toEqual(['discard'])
  await tab.click('[data-sendonce-discard]')
  await tab.waitFor(() => document.querySelector('[data-sendonce-status]')?.textContent === '')
  await tab.type('#first [name=address]', '')
  await tab.press('Enter')
  await shows(tab, 'succeeded')
  expect(lab().keys()).toHaveLength(2)
})
