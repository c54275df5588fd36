import { describe, expect, it } from 'vitest'
import type { ChromiumTab } from './driver/chromium-only.ts'
import { fill, idle, isBusy, oneHookLab, shows, told, typed } from './hook-page.ts'

const { lab, hold, answer, openPage } = oneHookLab()

/** What the tab has stored, but for the names of it. */
const stored = (tab: ChromiumTab) =>
  tab.evaluate(() => Object.values({ ...sessionStorage }) as string[])

/** What a test fills in by hand, and what is kept of it. */
const SECRETS = ['password', 'card', 'code']

/** Every field: value, and what is chosen. */
const fields = (tab: ChromiumTab) =>
  tab.evaluate(() => [
    ...new FormData(document.querySelector('form') ?? undefined).entries(),
  ]) as Promise<[string, string][]>

/** Presses and types in every field, as a person does. */
async function fillMany(tab: ChromiumTab): Promise<void> {
  await fill(tab)
  await tab.type('[name=note]', 'ring twice')
  await tab.click('[name=gift]')
  await tab.type('[name=size]', 'm')
  await tab.type('[name=extras]', 's')
  await tab.click('[value=later]')
  await tab.type('[name=tag]', 'one')
  await tab.type('[name=tag] + [name=tag]', 'two')
  for (const name of SECRETS) await tab.type(`[name=${name}]`, 'secret')
}

describe('what was typed', () => {
  it('survives that nobody knows, and a reload, and is sent again as it was', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(503, { requests: 2 })
    await tab.press('Enter')
    await shows(tab, 'unknown: attempts')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
    await tab.reload()
    await shows(tab, 'unknown: attempts')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(lab().bodies()).toHaveLength(1)
    expect(lab().keys()).toHaveLength(1)
    expect(lab().orders()).toHaveLength(1)
    expect(await stored(tab)).toEqual([])
  })

  it.each(['props', 'action'])(
    'survives a page that disables its fields meanwhile: %s',
    async form => {
      const tab = await openPage({ form, disables: '' })
      await fill(tab)
      lab().server.next('hang-after-effect')
      await tab.press('Enter')
      await lab().arrived(1)
      await tab.waitFor(() => document.querySelector('fieldset')?.disabled)
      await tab.reload()
      await shows(tab, 'unknown: interrupted')
      expect(await typed(tab)).toEqual(['tea', 'Berlin'])
    },
  )

  it.each(['gone', 'hidden'])('survives a form that goes with its submit: %s', async how => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next('hang-after-effect')
    await tab.evaluate(how => {
      document.querySelector('form')?.requestSubmit()
      window.hook.place(how as 'gone')
    }, how)
    await lab().arrived(1)
    await tab.reload()
    await shows(tab, 'unknown: interrupted')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
  })

  it('survives a pause before there was a token', async () => {
    const tab = await openPage({ token: '' })
    await fill(tab)
    await tab.evaluate(() => {
      const { fetch } = window
      window.fetch = async (...input) =>
        new Request(...input).url.includes('/api/token')
          ? new Response('', { status: 401 })
          : fetch(...input)
    })
    await tab.click('button')
    await shows(tab, 'paused: token')
    await tab.reload()
    await shows(tab, 'paused: token')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
  })

  it('survives a reload in mid-flight', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next('hang-after-effect')
    await tab.press('Enter')
    await lab().arrived(1)
    await tab.reload()
    await shows(tab, 'unknown: interrupted')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(lab().orders()).toHaveLength(1)
    expect(await told(tab)).toEqual(['first: onSuccess order-1'])
  })

  it('survives it where the ref of the form is another one in every render', async () => {
    const tab = await openPage({ ref: 'inline' })
    await fill(tab)
    lab().server.next('hang-after-effect')
    await tab.press('Enter')
    await lab().arrived(1)
    await tab.reload()
    await shows(tab, 'unknown: interrupted')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
  })

  it('survives a pause, and a reload', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.press('Enter')
    await shows(tab, 'paused: unauthorized')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
    await tab.reload()
    await shows(tab, 'paused: unauthorized')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
  })

  it('survives a refusal, and a reload with what was corrected since', async () => {
    const tab = await openPage()
    await fill(tab, 'tea', ' ')
    await tab.press('Enter')
    await shows(tab, 'refused')
    await tab.type('[name=address]', 'Berlin')
    await tab.reload()
    await shows(tab, 'refused')
    expect(await typed(tab)).toEqual(['tea', ' Berlin'])
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(await stored(tab)).toEqual([])
  })

  it('is known to React where it controls the fields', async () => {
    const tab = await openPage({ form: 'action' })
    await fill(tab)
    lab().server.next(401)
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    await tab.reload()
    await shows(tab, 'paused: unauthorized')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
    await tab.click('button')
    await shows(tab, 'succeeded')
    expect(lab().bodies()).toHaveLength(1)
  })

  it('is there after hydration, which warns of nothing', async () => {
    const tab = await openPage({ hydrate: '' })
    await fill(tab)
    lab().server.next(401)
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    await tab.reload()
    await shows(tab, 'paused: unauthorized')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
    expect(tab.takeErrors()).toEqual([])
  })

  it('is not put in the place of what is typed before hydration', async () => {
    const tab = await openPage({ hydrate: 'later', many: 'plain' })
    await tab.evaluate(() => window.hook.hydrate())
    await shows(tab, 'idle')
    await fillMany(tab)
    await tab.click('[value=now]')
    await tab.type('[name=size]', 's')
    lab().server.next(401)
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    await tab.reload()
    await tab.waitFor(() => document.querySelector('form') !== null)
    await tab.click('[value=later]')
    await tab.type('[name=size]', 'm')
    await tab.type('[name=note]', 'do not ring')
    await tab.type('[name=item]', 'coffee')
    await tab.evaluate(() => window.hook.hydrate())
    await shows(tab, 'paused: unauthorized')
    expect(Object.fromEntries(await fields(tab))).toMatchObject({
      item: 'coffee',
      note: 'do not ring',
      size: 'm',
      when: 'later',
      address: 'Berlin',
      gift: 'on',
      extras: 'sugar',
      tag: 'two',
    })
    expect(tab.takeErrors()).toEqual([])
    // And it is kept from then on.
    expect(String(await stored(tab))).toContain('coffee')
  })

  it.each(['plain', 'controlled'])(
    'comes back in %s fields of every kind, secrets excepted',
    async many => {
      const tab = await openPage({ many })
      await fillMany(tab)
      const before = await fields(tab)
      expect(before).toContainEqual(['extras', 'sugar'])
      expect(before).toContainEqual(['gift', 'on'])
      lab().server.next(401)
      await tab.click('button')
      await shows(tab, 'paused: unauthorized')
      await tab.reload()
      await shows(tab, 'paused: unauthorized')
      const secretsAreEmpty = before.map(([name, value]) => [
        name,
        SECRETS.includes(name) ? '' : value,
      ])
      expect(await fields(tab)).toEqual(secretsAreEmpty)
      expect(String(await stored(tab))).not.toContain('secret')
    },
  )

  it('survives that the form goes away and comes back', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    await tab.evaluate(() => window.hook.place('gone'))
    await tab.waitFor(() => document.querySelector('#gone') !== null)
    await tab.evaluate(() => window.hook.place('shown'))
    await shows(tab, 'paused: unauthorized')
    expect(await typed(tab)).toEqual(['tea', 'Berlin'])
  })

  it('stays as it is while the form is hidden and shown', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    await tab.type('[name=item]', ' with milk')
    await tab.evaluate(() => window.hook.place('hidden'))
    await tab.evaluate(() => window.hook.place('shown'))
    await shows(tab, 'paused: unauthorized')
    expect(await typed(tab)).toEqual(['tea with milk', 'Berlin'])
  })
})

describe('something else that was typed', () => {
  it('is kept when it is submitted right after the first was given up', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401, { requests: 2 })
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    await tab.type('[name=item]', ' with milk')
    await tab.evaluate(() => {
      void window.hook.order.discard()
      document.querySelector('form')?.requestSubmit()
    })
    await lab().arrived(2)
    await shows(tab, 'paused: unauthorized')
    await tab.reload()
    await shows(tab, 'paused: unauthorized')
    expect(await typed(tab)).toEqual(['tea with milk', 'Berlin'])
    expect(lab().keys()).toHaveLength(2)
  })
})

describe('nothing is kept', () => {
  it('before it was submitted', async () => {
    const tab = await openPage()
    await fill(tab)
    expect(await stored(tab)).toEqual([])
  })

  it.each(['sensitive', 'forgetful'])('of a form that is %s', async how => {
    const tab = await openPage({ [how]: '' })
    await fill(tab)
    lab().server.next(401)
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    expect(String(await stored(tab))).not.toContain('tea')
    await tab.reload()
    await shows(tab, 'paused: unauthorized')
    expect(await typed(tab)).toEqual(['', ''])
  })

  it('of what was given up', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    expect(String(await stored(tab))).toContain('tea')
    await tab.evaluate(() => window.hook.order.discard())
    await shows(tab, 'idle')
    await tab.type('[name=item]', ' with milk')
    expect(await stored(tab)).toEqual([])
  })

  it('of what has succeeded when its form was gone', async () => {
    const tab = await openPage()
    await fill(tab)
    hold()
    await tab.press('Enter')
    await lab().arrived(1)
    await tab.waitFor(() => sessionStorage.length === 1)
    await tab.evaluate(() => window.hook.place('gone'))
    await tab.waitFor(() => document.querySelector('form') === null)
    await answer()
    await tab.waitFor(() => window.hook.told.length === 1)
    expect(await tab.evaluate(() => sessionStorage.length)).toBe(0)
  })

  it('of a refusal that was reset', async () => {
    const tab = await openPage()
    await fill(tab, 'tea', ' ')
    await tab.click('button')
    await shows(tab, 'refused')
    await tab.evaluate(() => window.hook.order.reset())
    await shows(tab, 'idle')
    expect(await stored(tab)).toEqual([])
  })

  it('of what another tab has brought to its end', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    const other = await openPage()
    await other.evaluate(() => window.hook.order.resume())
    await shows(other, 'succeeded')
    await tab.show()
    await shows(tab, 'succeeded')
    expect(await stored(tab)).toEqual([])
  })

  it('for another record of the same name', async () => {
    const tab = await openPage()
    await fill(tab)
    lab().server.next(401)
    await tab.click('button')
    await shows(tab, 'paused: unauthorized')
    const draft = await tab.evaluate(() => ({ ...sessionStorage }) as Record<string, string>)
    await tab.evaluate(() => window.hook.order.discard())
    await tab.evaluate(draft => Object.assign(sessionStorage, draft), draft)
    hold()
    const other = await openPage()
    await fill(other, 'coffee')
    await other.click('button')
    await lab().arrived(2)
    await tab.show()
    await tab.reload()
    await shows(tab, 'sending')
    expect(await isBusy(tab)).toBe('true')
    expect(await typed(tab)).toEqual(['', ''])
    await answer()
    await shows(tab, 'succeeded')
    await idle(tab)
  })
})
