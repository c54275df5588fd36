import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Listening } from 'sendonce/testing'
import { createMockServer, listen } from 'sendonce/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onNewOrigin } from './driver/new-origin.ts'
import { oneChromium } from './driver/one-chromium.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const PAGE = here('./pages/form-import-map')

const browser = oneChromium()
const server = createMockServer()
let listening: Listening

beforeAll(async () => {
  const folders = {
    '/': PAGE,
    '/node_modules/': here('../../node_modules'),
    '/node_modules/sendonce/dist/': here('../../dist'),
  }
  listening = await onNewOrigin(() => listen(server, { static: folders }))
})
afterAll(() => listening?.close())

it('orders once without a bundler: an import map is all there is', async () => {
  const tab = await browser().newTab(`${listening.origin}/`)
  server.next('lose-reply', { path: '/api/orders' })
  await tab.type('[name=item]', 'tea')
  await tab.type('[name=address]', 'Berlin')
  await tab.press('Enter')
  await tab.waitFor(() => document.querySelector('[role=status]')?.textContent === 'Done.')
  expect(server.log({ path: '/api/orders' })).toHaveLength(2)
  expect(server.ledger()).toMatchObject([{ item: 'tea' }])
})

it('is the page of the guide', async () => {
  const guide = await readFile(here('../../docs/forms.md'), 'utf8')
  expect(guide).toContain(await readFile(`${PAGE}/index.html`, 'utf8'))
})
