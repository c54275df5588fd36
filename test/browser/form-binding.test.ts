import { describe, expect, it } from 'vitest'
import { emptied, fill, message, oneFormLab, shows, told } from './form-lab.ts'

const { lab, openPage, hold, answer } = oneFormLab()

describe('two forms of one operation', () => {
  it('show the same, and send once', async () => {
    const tab = await openPage({ twice: '' })
    for (const form of ['#first', '#second']) await fill(tab, form)
    hold()
    await tab.click('#first button')
    await tab.click('#second button')
    await lab().arrived(1)
    expect(
      await tab.evaluate(() => [...document.querySelectorAll('form')].map(form => form.ariaBusy)),
    ).toEqual(['true', 'true'])
    await answer()
    await shows(tab, 'succeeded')
    await tab.evaluate(() => window.page.client.idle())
    expect(lab().arrivals()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(
      await tab.evaluate(() => document.querySelector('#second [role=status]')?.textContent),
    ).toBe('Done.')
    await tab.waitFor(() =>
      [...document.querySelectorAll('form')].every(
        form => form.querySelector('input')?.value === '',
      ),
    )
  })

  it('leave the other one alone that nobody has touched', async () => {
    const tab = await openPage({ twice: '' })
    await fill(tab)
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    await emptied(tab)
    const other = await tab.evaluate(() =>
      [...document.querySelectorAll<HTMLInputElement>('#second input')].map(({ value }) => value),
    )
    expect(other).toEqual(['', ''])
  })
})

describe('a form that is bound again', () => {
  it('has the second binding only', async () => {
    const tab = await openPage()
    await tab.evaluate(() => {
      const [form] = document.querySelectorAll('form')
      if (form) window.page.bind(form, 'again', { operation: 'another' })
    })
    await fill(tab)
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    await tab.evaluate(() => window.page.client.idle())
    expect(lab().arrivals()).toHaveLength(1)
    expect(await told(tab)).toEqual(['again: onSuccess order-1'])
    expect(await tab.evaluate(() => window.page.heard)).toEqual(['Sending…', 'Done.'])
  })
})

describe('a form that is bound again while it is paused', () => {
  it.each(['stopped before', 'bound twice'])('is emptied after the success: %s', async how => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await shows(tab, 'paused')
    await tab.evaluate(how => {
      const [form] = document.querySelectorAll('form')
      if (how === 'stopped before') window.page.bound.stop()
      if (form) window.page.bind(form, 'again')
    }, how)
    await shows(tab, 'paused')
    await tab.evaluate(() => document.querySelector<HTMLElement>('[data-sendonce-resume]')?.click())
    await shows(tab, 'succeeded')
    await tab.waitFor(() => document.querySelector('input')?.value === '')
    expect(await message(tab)).toBe('Done.')
  })
})

describe('a form that is bound again while it is under way', () => {
  it('is emptied after the success', async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    await tab.evaluate(() => {
      const [form] = document.querySelectorAll('form')
      if (form) window.page.bind(form, 'again')
    })
    await answer()
    await shows(tab, 'succeeded')
    await tab.waitFor(() => document.querySelector('input')?.value === '')
    expect(await message(tab)).toBe('Done.')
    expect(lab().orders()).toHaveLength(1)
  })
})

describe('a status region of two forms', () => {
  it('is the other one’s when the first is stopped, and the page’s when both are', async () => {
    const tab = await openPage({ twice: '' })
    const look = () => tab.evaluate(() => document.querySelector('#both')?.outerHTML)
    await tab.evaluate(() => {
      const html = '<p id="both" aria-live="assertive">Ask <b>us</b></p>'
      document.body.insertAdjacentHTML('beforeend', html)
      const status = document.querySelector<HTMLElement>('#both')
      const bindings = [...document.querySelectorAll('form')].map((form, index) =>
        window.page.bind(form, `${index}`, { operation: `${index}`, ...(status && { status }) }),
      )
      Object.assign(window, { bindings })
    })
    const stop = (index: number) =>
      tab.evaluate(index => Reflect.get(window, 'bindings')[index].stop(), index)
    const html = '<p id="both" aria-live="assertive">Ask <b>us</b></p>'
    lab().server.next(422, { requests: 2 })
    for (const form of ['#first', '#second']) {
      await fill(tab, form)
      await tab.press('Enter')
      await tab.waitFor(
        form => document.querySelector(form)?.getAttribute('data-sendonce-state') === 'refused',
        form,
      )
    }
    await stop(0)
    expect(await look()).toBe(
      '<p id="both" aria-live="assertive" role="status" aria-busy="false">Refused: 422</p>',
    )
    await stop(1)
    expect(await look()).toBe(html)
  })
})

describe('a submit button', () => {
  it.each(['type', 'form'])(
    'that is one no more, by its %s, is none under way',
    async attribute => {
      const tab = await openPage()
      await fill(tab)
      hold()
      await tab.press('Enter')
      await lab().arrived(1)
      await tab.evaluate(attribute => {
        const button = document.querySelector('[value=order]')
        button?.setAttribute(attribute, attribute === 'type' ? 'button' : 'second')
        button?.setAttribute('id', 'left')
      }, attribute)
      const isDisabled = () => tab.evaluate(() => document.querySelector('#left')?.ariaDisabled)
      expect(await isDisabled()).toBe('true')
      await answer()
      await shows(tab, 'succeeded')
      expect(await isDisabled()).toBe(null)
    },
  )

  it('that is a picture outside of the form is busy with it', async () => {
    const tab = await openPage()
    await tab.evaluate(() => {
      const html = '<input type="image" alt="Order" form="first" id="picture">'
      document.body.insertAdjacentHTML('beforeend', html)
    })
    await fill(tab)
    hold()
    await tab.click('#picture')
    await lab().arrived(1)
    const isDisabled = () => tab.evaluate(() => document.querySelector('#picture')?.ariaDisabled)
    expect(await isDisabled()).toBe('true')
    await answer()
    await shows(tab, 'succeeded')
    expect(await isDisabled()).toBe(null)
  })
})

describe('a slot in a form', () => {
  it('is left alone where it belongs to another one', async () => {
    const tab = await openPage()
    const html = await tab.evaluate(() => {
      for (const slot of document.querySelectorAll('[data-sendonce-resume]')) slot.remove()
      const [form] = document.querySelectorAll('form')
      if (!form) return
      const slots = '<button data-sendonce-resume form="second" id="others">Again</button>'
      form.insertAdjacentHTML('afterbegin', slots)
      window.page.bind(form, 'first')
      return document.querySelector('#others')?.outerHTML
    })
    expect(html).toBe('<button data-sendonce-resume="" form="second" id="others">Again</button>')
  })
})

describe('a binding that is stopped', () => {
  it.each(['stop', 'signal'] as const)('by its %s leaves the form as it was', async by => {
    const tab = await openPage()
    const look = () => tab.evaluate(() => document.querySelector('#second')?.outerHTML)
    await tab.evaluate(() => {
      const slots = '<button type="submit" hidden data-sendonce-resume>…</button>'
      document.querySelector('#second')?.insertAdjacentHTML('afterbegin', slots)
    })
    const html = await look()
    await tab.evaluate(by => {
      const form = document.querySelector<HTMLFormElement>('#second')
      if (!form) return
      const stopping = new AbortController()
      const bound = window.page.bind(form, 'second', { signal: stopping.signal })
      if (by === 'stop') bound.stop()
      else stopping.abort()
    }, by)
    expect(await look()).toBe(html)
    // Whoever asks then is the browser.
    const isLeft = await tab.evaluate(() => {
      const event = new SubmitEvent('submit', { cancelable: true })
      return document.querySelector('#second')?.dispatchEvent(event)
    })
    expect(isLeft).toBe(true)
  })

  it.each([
    {
      form: 'aria-busy="false" data-sendonce-state="of the page"',
      submit: 'aria-disabled="true"',
      slot: 'type="submit" aria-disabled="false" style="color: red; visibility: visible !important;"',
      countdown: 'aria-hidden="false"',
      status: 'role="log" aria-live="assertive" aria-busy="true"',
    },
    { form: '', submit: '', slot: '', countdown: '', status: '' },
  ])('puts back what the page had set, under way and afterwards: %o', async page => {
    const tab = await openPage()
    const html = await tab.evaluate(page => {
      const own = `
        <form id="own" action="/api/orders" method="post" ${page.form}>
          <input name="item" value="tea"><input name="address" value="Berlin">
          <button ${page.submit}>Order</button>
          <p data-sendonce-status ${page.status}>Ask <b>us</b></p>
          <button data-sendonce-resume ${page.slot}>Again</button>
          <button data-sendonce-discard ${page.slot}>Forget</button>
          <span data-sendonce-countdown ${page.countdown}>soon</span>
        </form>`
      document.querySelector('main')?.insertAdjacentHTML('beforeend', own)
      return document.querySelector('#own')?.outerHTML
    }, page)
    const bind = () =>
      tab.evaluate(() => {
        const form = document.querySelector<HTMLFormElement>('#own')
        if (!form) return
        const own = window.page.bind(form, 'own', { operation: 'own' })
        Object.assign(window, { own })
      })
    const stopped = () =>
      tab.evaluate(() => {
        Reflect.get(window, 'own').stop()
        return document.querySelector('#own')?.outerHTML
      })
    const reaches = (state: string) =>
      tab.waitFor(
        state => document.querySelector(`#own[data-sendonce-state=${state}]`) !== null,
        state,
      )

    await bind()
    lab().server.next(401)
    await tab.click('#own button')
    await reaches('paused')
    expect(await stopped()).toBe(html)
    await bind()
    await reaches('paused')
    hold()
    await tab.click('#own [data-sendonce-resume]')
    await lab().arrived(2)
    // It has nothing to do any more, and is out of sight once it has lost the focus.
    await tab.press('Tab')
    expect(await stopped()).toBe(html)
    await answer()
    await tab.waitFor(() => window.page.told.includes('own: onSuccess order-1'))
  })

  it('does not end what is under way', async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    await tab.evaluate(() => window.page.bound.stop())
    expect(await message(tab)).toBe('')
    expect(await tab.evaluate(() => document.querySelector('form')?.ariaBusy)).toBe(null)
    await answer()
    await tab.waitFor(() => window.page.told.length === 1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
  })
})

describe('a form that is removed from the page', () => {
  it('hears of what it has sent', async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    await tab.evaluate(() => document.querySelector('form')?.remove())
    await answer()
    await tab.waitFor(() => window.page.told.length === 1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
  })

  it('is held by nothing', async () => {
    const tab = await openPage()
    await tab.evaluate(async () => {
      const form = document.querySelector<HTMLFormElement>('#second')
      if (!form) return
      window.page.bind(form, 'second', { operation: 'short-lived' })
      Object.assign(window, { form: new WeakRef(form) })
      form.remove()
      await window.page.client.idle()
    })
    await tab.waitFor(() => document.querySelector('#second') === null)
    await tab.cdp.send('HeapProfiler.collectGarbage')
    expect(
      await tab.evaluate(
        () => (Reflect.get(window, 'form') as WeakRef<Element>).deref() === undefined,
      ),
    ).toBe(true)
  })
})
