import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import type { Listening, MockServer, RouteOptions } from 'sendonce/testing'
import { createMockServer, listen } from 'sendonce/testing'
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { ChromiumTab } from '../browser/driver/chromium-only.ts'
import { onNewOrigin } from '../browser/driver/new-origin.ts'
import { oneChromium } from '../browser/driver/one-chromium.ts'
import { cart } from './lab/cart.ts'
import { App } from './server-rendering.tsx'

/** What the server of a recipe is like, where it is not `/api/orders`. */
const ROUTES: Readonly<Record<string, RouteOptions>> = {
  '/api/orders': {},
  '/trpc/placeOrder': { reply: ({ id }) => ({ result: { data: { id } } }) },
  '/graphql': { reply: ({ id }) => ({ data: { placeOrder: { __typename: 'Order', id } } }) },
}

const RECIPES = [
  'plain-page',
  'tanstack-query',
  'swr',
  'react-hook-form',
  'react-router',
  'form-action',
  'server-rendering',
  'vue',
  'svelte',
  'openapi-fetch',
  'trpc',
  'apollo',
  'urql',
  'ky',
  'axios',
]

let server: MockServer
let listening: Listening
// Registered before the tabs are, and so done after they are closed.
afterEach(() => {
  server.release()
  return listening.close()
})
const browser = oneChromium()

beforeAll(() => {
  const page = (name: string) => join(inject('recipes'), 'lab', name)
  const html = readFileSync(page('index.html'), 'utf8')
  const root = `<div id="root" data-recipe="server-rendering">${renderToString(createElement(App, { cart }))}</div>`
  writeFileSync(page('rendered.html'), html.replace('<div id="root"></div>', root))
})

// An origin of its own for each test: nothing is stored there before.
beforeEach(async () => {
  server = createMockServer({ routes: ROUTES })
  const options = { static: { '/': inject('recipes') } }
  listening = await onNewOrigin(() => listen(server, options))
})

const PAGES: Readonly<Record<string, string>> = {
  'plain-page': 'plain-page.html',
  'server-rendering': 'lab/rendered.html',
}

async function openRecipe(recipe: string, address = 'Berlin'): Promise<ChromiumTab> {
  const page = PAGES[recipe] ?? `lab/index.html?recipe=${recipe}`
  const tab = await browser().newTab(`${listening.origin}/${page}`)
  await tab.evaluate(() => {
    const { fetch } = window
    window.lost = 0
    window.fetch = (...input) => {
      const reply = fetch(...input)
      reply.catch(() => {
        window.lost += 1
      })
      return reply
    }
  })
  await isThere(tab, recipe)
  if (await tab.evaluate(() => document.querySelector('input') !== null)) {
    await tab.type('input', address)
  }
  return tab
}

const isThere = (tab: ChromiumTab, recipe: string): Promise<boolean> =>
  tab.waitFor(
    button => document.querySelector(button) !== null,
    recipe === 'server-rendering' ? '[data-hydrated] button' : 'button',
  )

/**
 * Orders, and loses the reply until the page has noticed: what a broken connection has swallowed the browser repeats
 * without a word to the page.
 */
async function orderWithoutReply(recipe: string, times = 1): Promise<ChromiumTab> {
  const tab = await openRecipe(recipe)
  server.next('lose-reply', { share: 1 })
  await tab.click('button', { times })
  await tab.waitFor(() => window.lost > 0)
  server.clearFaults()
  return tab
}

const says = (tab: ChromiumTab, sentence: string): Promise<boolean> =>
  tab.waitFor(
    sentence => !!document.querySelector('[role=status]')?.textContent.includes(sentence),
    sentence,
  )

/** `Done.` is how `describe` says it. */
const saysDone = (tab: ChromiumTab): Promise<boolean> =>
  tab.waitFor(() =>
    /^(Done\.|Order order-1 is placed\.)$/.test(
      document.querySelector('[role=status]')?.textContent ?? '',
    ),
  )

const keys = () => [...new Set(server.log().map(({ key }) => key))]

it.each(RECIPES)('%s: places one order when the reply to a double click is lost', async recipe => {
  const tab = await orderWithoutReply(recipe, 2)
  await saysDone(tab)
  expect(server.ledger()).toMatchObject([{ id: 'order-1' }])
  expect(server.log().length).toBeGreaterThan(1)
  expect(keys()).toHaveLength(1)
})

it.each(RECIPES)('%s: calls nothing failed of which nobody knows', async recipe => {
  const tab = await orderWithoutReply(recipe)
  // It was executed, and whoever is in front of the server turns the repeat away.
  server.next(403, { share: 1 })
  await says(tab, "We don't know yet whether this went through.")
  expect(await tab.evaluate(() => document.body.textContent)).not.toMatch(
    /fail|error|403|not accepted/i,
  )
  server.clearFaults()
  await tab.click('button')
  await saysDone(tab)
  expect(server.ledger()).toHaveLength(1)
  expect(keys()).toHaveLength(1)
})

it.each(['apollo', 'urql'])('%s: sends a query as it is, without a key', async recipe => {
  const tab = await openRecipe(recipe)
  await tab.evaluate(() => void window.query().catch(() => {}))
  await arrival()
  expect(keys()).toEqual([undefined])
})

it('react-hook-form: says at the field what the server refused', async () => {
  const tab = await openRecipe('react-hook-form', ' ')
  await tab.click('button')
  await tab.waitFor(() => document.body.textContent.includes('The address is missing.'))
  expect(server.ledger()).toEqual([])
})

it.each([
  ['server-rendering', 'says so and'],
  ['vue', 'says so and'],
  ['svelte', 'says so and'],
  ['tanstack-query', 'on a click'],
  ['ky', 'on a click'],
])('%s: is interrupted by a reload, %s goes on with the same key', async (recipe, how) => {
  const tab = await openRecipe(recipe)
  server.next('hang-after-effect')
  await tab.click('button')
  await arrival()
  await tab.reload()
  await isThere(tab, recipe)
  if (how.startsWith('says')) await says(tab, 'This was interrupted.')
  await tab.click('button')
  await saysDone(tab)
  expect(server.ledger()).toHaveLength(1)
  expect(keys()).toHaveLength(1)
})

describe('coming-back', () => {
  /** The next visit, after an order whose page was closed before the reply. */
  async function leftBehind(): Promise<ChromiumTab> {
    const closed = await openRecipe('ky')
    server.next('hang-after-effect')
    await closed.click('button')
    await arrival()
    await closed.close()
    const tab = await browser().newTab(`${listening.origin}/lab/index.html?recipe=coming-back`)
    await says(tab, 'This was interrupted.')
    return tab
  }

  it('sends again what an earlier page has left, and says how it went', async () => {
    const tab = await leftBehind()
    await tab.click('button')
    await saysDone(tab)
    expect(await tab.evaluate(() => document.querySelector('button'))).toBeNull()
    expect(server.log()).toHaveLength(2)
    expect(keys()).toHaveLength(1)
    expect(server.ledger()).toHaveLength(1)
  })

  it('forgets it on the word of a person: the next order has a key of its own', async () => {
    const tab = await leftBehind()
    await tab.click('button:last-of-type')
    await tab.waitFor(() => document.querySelector('li') === null)
    expect(server.log()).toHaveLength(1)
    await tab.open(`${listening.origin}/lab/index.html?recipe=ky`)
    await isThere(tab, 'ky')
    await tab.click('button')
    await says(tab, 'Order order-2 is placed.')
    expect(keys()).toHaveLength(2)
  })
})

/** Resolves when the server has all of a request. */
const arrival = () =>
  new Promise<void>(resolve => {
    const look = () => {
      if (!server.log().some(({ bodyDigest }) => bodyDigest)) return
      stop()
      resolve()
    }
    const stop = server.subscribe(look)
    look()
  })

declare global {
  interface Window {
    /** How many requests had no reply. */
    lost: number
  }
}
