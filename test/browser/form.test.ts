import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { emptied, fill, focused, message, oneFormLab, shows, told, typed } from './form-lab.ts'
import { noted } from './held-lab.ts'

const { lab, url, openPage, hold, answer } = oneFormLab()

const ORDER = '[value=order]'

const isBusy = (tab: ChromiumTab) =>
  tab.evaluate(() => {
    const form = document.querySelector('#first')
    const [order] = document.querySelectorAll('button')
    return [form?.getAttribute('aria-busy'), order?.getAttribute('aria-disabled'), order?.disabled]
  })

/** What the page's next request has in it. */
const sent = (tab: ChromiumTab) =>
  tab.evaluate(
    () =>
      new Promise<{ url: string; method: string; type: string | null; body: string }>(resolve => {
        const { fetch } = window
        window.fetch = async (...input) => {
          const request = new Request(...input)
          const { url, method, headers } = request
          const body = await request.clone().text()
          resolve({ url, method, type: headers.get('content-type'), body })
          return fetch(request)
        }
      }),
  )

/** Each way has the focus where a person has it then. */
const WAYS: Readonly<Record<string, (tab: ChromiumTab) => Promise<void>>> = {
  'a click': tab => tab.click(ORDER),
  'a double click': tab => tab.click(ORDER, { times: 2, gapMs: 60 }),
  'Enter in a field': async tab => {
    await tab.type('#first [name=address]', '')
    await tab.press('Enter')
  },
  'Enter on the button': async tab => {
    await tab.evaluate(() => document.querySelector<HTMLElement>('[value=order]')?.focus())
    await tab.press('Enter')
  },
  'Space on the button': async tab => {
    await tab.evaluate(() => document.querySelector<HTMLElement>('[value=order]')?.focus())
    await tab.press('Space')
  },
}

describe.each(Object.entries(WAYS))('a form that is submitted by %s', (_, press) => {
  it('sends once, with the button, and leaves the focus where it is', async () => {
    const tab = await openPage()
    await fill(tab)
    const request = sent(tab)
    hold()
    await press(tab)
    await lab().arrived(1)
    const before = await focused(tab)
    expect(['Order', 'address']).toContain(before)
    expect(await isBusy(tab)).toEqual(['true', 'true', false])
    await answer()
    await shows(tab, 'succeeded')
    await tab.evaluate(() => window.page.client.idle())
    expect(await isBusy(tab)).toEqual([null, null, false])
    expect(await focused(tab)).toBe(before)
    expect(JSON.parse((await request).body)).toMatchObject({ item: 'tea', by: 'order' })
    expect(lab().arrivals()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })
})

describe('a double click that is faster than the person, and slower than the server', () => {
  it('is one order', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.click(ORDER, { times: 2, gapMs: 300 })
    await shows(tab, 'succeeded')
    await tab.evaluate(() => window.page.client.idle())
    expect(await focused(tab)).toBe('Order')
    expect(lab().orders()).toHaveLength(1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })
})

describe('a form under way', () => {
  it('takes whatever is pressed for the same', async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    await tab.press('Enter', { times: 2 })
    await tab.click(ORDER)
    await tab.press('Space')
    await answer()
    await shows(tab, 'succeeded')
    await tab.evaluate(() => window.page.client.idle())
    expect(lab().arrivals()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })

  it('says so when something else is submitted, and does not send it', async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    await tab.type('#first [name=item]', ' with milk')
    await tab.press('Enter')
    await tab.waitFor(() => window.page.told.length === 1)
    expect(await message(tab)).toContain('sent before with other details')
    expect(await isBusy(tab)).toEqual(['true', 'true', false])
    await answer()
    await shows(tab, 'succeeded')
    expect(await message(tab)).toBe('Done.')
    expect(await told(tab)).toEqual(['first: onError payload-changed', 'first: onSuccess order-1'])
    expect(lab().orders()).toMatchObject([{ item: 'tea' }])
    // Typed since, and not ordered yet.
    await emptied(tab)
    expect(await typed(tab)).toEqual(['tea with milk', 'Berlin', ''])
  })
})

describe('validation by the browser', () => {
  it('comes first', async () => {
    const tab = await openPage()
    await tab.click(ORDER)
    expect(await tab.evaluate(() => document.activeElement?.matches('[name=item]:invalid'))).toBe(
      true,
    )
    await tab.evaluate(() => window.page.client.idle())
    expect(lab().arrivals()).toEqual([])
    await tab.type('[name=item]', 'tea')
    await tab.type('[name=address]', 'Berlin')
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    expect(lab().orders()).toHaveLength(1)
  })

  it.each(['formnovalidate', 'novalidate'])('is left out by %s', async attribute => {
    const tab = await openPage()
    await tab.type('#first [name=address]', 'Berlin')
    if (attribute === 'novalidate') {
      await tab.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
      await tab.click(ORDER)
    } else await tab.click('[value=unchecked]')
    await shows(tab, 'succeeded')
    expect(lab().orders()).toMatchObject([{ item: '' }])
  })

  it('may be followed by that of the page', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.evaluate(() =>
      document.addEventListener('submit', event => event.preventDefault(), { capture: true }),
    )
    await tab.click(ORDER)
    await tab.evaluate(() => window.page.client.idle())
    expect(lab().arrivals()).toEqual([])
  })
})

describe('a form that says itself what to send', () => {
  it('sends its fields to its action', async () => {
    const tab = await openPage({ send: 'native' })
    await fill(tab)
    const request = sent(tab)
    await tab.click(ORDER)
    await shows(tab, 'succeeded')
    expect(await request).toEqual({
      url: new URL('/api/orders', lab().url()).href,
      method: 'POST',
      type: 'application/x-www-form-urlencoded;charset=UTF-8',
      body: 'item=tea&address=Berlin&card=&size=small&by=order',
    })
    expect(lab().orders()).toMatchObject([{ item: 'tea' }])
  })

  it('sends lines as the browser does', async () => {
    const tab = await openPage({ send: 'native' })
    await fill(tab)
    await tab.evaluate(() => {
      const field = document.createElement('textarea')
      Object.assign(field, { name: 'note', value: 'two\nlines' })
      document.querySelector('#first')?.append(field)
    })
    const request = sent(tab)
    await tab.click(ORDER)
    expect((await request).body).toContain('note=two%0D%0Alines')
  })

  it('sends them as its button says', async () => {
    const tab = await openPage({ send: 'native' })
    await fill(tab)
    await tab.evaluate(() => {
      const button = document.querySelector('[value=order]')
      button?.setAttribute('formaction', 'api/orders?shop=2')
      button?.setAttribute('formenctype', 'multipart/form-data')
    })
    const request = sent(tab)
    await tab.click(ORDER)
    const { url, type, body } = await request
    expect(url).toBe(new URL('/api/orders?shop=2', lab().url()).href)
    expect(type).toMatch(/^multipart\/form-data; boundary=/)
    expect(body).toContain('name="address"\r\n\r\nBerlin\r\n')
  })

  it('is told so when it would get', async () => {
    const tab = await openPage({ send: 'native' })
    await fill(tab)
    await tab.evaluate(() => document.querySelector('form')?.removeAttribute('method'))
    await tab.click(ORDER)
    await tab.waitFor(() => window.page.told.length === 1)
    expect(await told(tab)).toEqual(['first: onError invalid-argument'])
    expect(await message(tab)).toBe('method is "GET": use POST, PUT, PATCH or DELETE.')
    expect(lab().arrivals()).toEqual([])
  })

  it('leaves a button alone that closes a dialog', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.click('#away')
    await tab.evaluate(() => window.page.client.idle())
    expect(lab().arrivals()).toEqual([])
  })
})

describe('a request that cannot be made', () => {
  it('is said in the form and told to onError', async () => {
    const tab = await openPage({ send: 'throw' })
    await fill(tab)
    await tab.click(ORDER)
    await tab.waitFor(() => window.page.told.length === 1)
    expect(await told(tab)).toEqual(['first: onError not-sent'])
    expect(await message(tab)).toBe('This could not be sent just now. Please try again.')
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
  })
})

describe('a sentence of the page that throws', () => {
  it('is reported, and ends nothing', async () => {
    const tab = await openPage()
    await tab.evaluate(() => {
      const [form] = document.querySelectorAll('form')
      const message = () => {
        throw new Error('thrown by message')
      }
      if (form) window.page.bind(form, 'first', { message })
    })
    await fill(tab)
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    expect(await message(tab)).toBe('Done.')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
    expect(lab().orders()).toHaveLength(1)
    const errors = tab.takeErrors()
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(error).toContain('thrown by message')
  })
})

describe('what was typed', () => {
  it('goes when it was ordered', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.press('Enter')
    await tab.waitFor(() => document.querySelector('input')?.value === '')
    expect(await message(tab)).toBe('Done.')
    expect(await focused(tab)).toBe('address')
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })

  it('stays when it is refused, and is taken for another order when it is corrected', async () => {
    const tab = await openPage()
    await tab.type('#first [name=item]', 'tea')
    await tab.type('#first [name=address]', ' ')
    await tab.press('Enter')
    await shows(tab, 'refused')
    expect(await message(tab)).toBe('Refused: 422')
    expect(await typed(tab)).toEqual(['tea', ' ', ''])
    expect(await focused(tab)).toBe('address')
    await tab.type('#first [name=address]', 'Berlin')
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual(['first: onRefused 422', 'first: onSuccess order-1'])
    expect(lab().keys()).toHaveLength(2)
    expect(lab().orders()).toHaveLength(1)
  })

  it('stays when it is paused', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await shows(tab, 'paused')
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    expect(lab().keys()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
  })

  it('goes with what is said when the form is reset', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    await emptied(tab)
    await tab.click('[type=reset]')
    await shows(tab, 'idle')
    expect(await message(tab)).toBe('')
  })
})

describe('the next order by the same form', () => {
  const orderFirst = async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    await emptied(tab)
    return tab
  }

  it('keeps what was typed when it is refused, whatever came of the one before', async () => {
    const tab = await orderFirst()
    await tab.type('#first [name=item]', 'milk')
    await tab.type('#first [name=address]', ' ')
    await tab.press('Enter')
    await shows(tab, 'refused')
    await emptied(tab)
    expect(await typed(tab)).toEqual(['milk', ' ', ''])
  })

  it('keeps it while it is under way, and goes when it has succeeded', async () => {
    const tab = await orderFirst()
    await fill(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(2)
    await emptied(tab)
    expect(await typed(tab)).toEqual(['tea', 'Berlin', ''])
    await answer()
    await tab.waitFor(() => document.querySelector('input')?.value === '')
    expect(lab().orders()).toHaveLength(2)
  })
})

describe('a button of the page without a type', () => {
  it.each(['resume', 'discard'])('is not what Enter presses: %s', async name => {
    const tab = await openPage()
    await tab.evaluate(name => {
      const form = document.querySelector<HTMLFormElement>('#first')
      if (!form) return
      for (const old of document.querySelectorAll(`[data-sendonce-${name}]`)) old.remove()
      // The first of the form: the one that browsers press for Enter.
      form.insertAdjacentHTML('afterbegin', `<button data-sendonce-${name}>…</button>`)
      window.page.bind(form, 'first')
    }, name)
    await fill(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await shows(tab, 'paused')
    await tab.type('#first [name=address]', '')
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    expect(await told(tab)).toEqual(['first: onPaused unauthorized', 'first: onSuccess order-1'])
    expect(lab().keys()).toHaveLength(1)
  })
})

describe('what is said', () => {
  it('is heard once, however often it is tried', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(503, { requests: 3 })
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    expect(lab().arrivals()).toHaveLength(4)
    expect(await tab.evaluate(() => window.page.heard)).toEqual([
      'Sending…',
      'No clear answer yet. Trying again in a moment.',
      'Done.',
    ])
  })

  it('is heard again when it is said of another submit', async () => {
    const tab = await openPage()
    for (const address of [' ', ' ']) {
      await tab.evaluate(() => document.querySelector('form')?.reset())
      await tab.type('#first [name=item]', 'tea')
      await tab.type('#first [name=address]', address)
      await tab.press('Enter')
      await shows(tab, 'refused')
    }
    expect(await tab.evaluate(() => window.page.heard)).toEqual([
      'Sending…',
      'Refused: 422',
      'Sending…',
      'Refused: 422',
    ])
  })

  it('has a countdown beside it, which is not heard', async () => {
    const tab = await openPage({ baseDelayMs: '20000' })
    await fill(tab)
    lab().server.next({ is: 'status', status: 503, retryAfter: 20 })
    await tab.press('Enter')
    const shown = await tab.waitFor(() => {
      const element = document.querySelector('[data-sendonce-countdown]')
      return element?.checkVisibility() && element.ariaHidden && element.textContent
    })
    expect(shown).toMatch(/^\d+ s$/)
    await tab.waitFor(
      before => before !== document.querySelector('[data-sendonce-countdown]')?.textContent,
      shown,
    )
    expect(await tab.evaluate(() => window.page.heard)).toHaveLength(2)
  })

  it('is nothing in a page that comes after the one that was told', async () => {
    const tab = await openPage()
    await fill(tab)
    await tab.press('Enter')
    await shows(tab, 'succeeded')
    await noted(tab)
    await tab.open(url())
    await tab.waitFor(() => {
      const { snapshot } = window.page?.bound ?? {}
      return snapshot?.state === 'idle' && snapshot.read
    })
    expect(await message(tab)).toBe('')
    await fill(tab)
    await tab.press('Enter')
    await tab.waitFor(() => window.page.told.length === 1)
    expect(await message(tab)).toBe('Done.')
    // Not of the order before, when this one had not even left.
    expect(await tab.evaluate(() => window.page.heard)).toEqual(['Sending…', 'Done.'])
  })
})
