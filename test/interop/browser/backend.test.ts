import { randomUUID } from 'node:crypto'
import type { ServerProfile } from 'sendonce'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import type { ChromiumTab } from '../../browser/driver/chromium-only.ts'
import { oneChromium } from '../../browser/driver/one-chromium.ts'
import type { Fault } from '../backend/faults.ts'
import type { Backend } from '../one-backend.ts'
import { startBackend } from '../one-backend.ts'
import type { Servers } from '../servers/servers.ts'
import { startServers } from '../servers/servers.ts'

/* The reference back end on its real database, sent to by a real page. */

let servers: Servers
let stop: (() => Promise<void>) | undefined
let backend: Backend
beforeAll(async () => {
  const started = await startServers()
  stop = started.stop
  servers = started.servers
  backend = await startBackend('backend', servers, { PAGES: inject('pages') })
})
afterAll(async () => {
  await backend?.stop()
  await stop?.()
})

const chromium = oneChromium()

/** A mechanism, as the page is told of it. */
interface Case {
  readonly preset: 'idempotencyKey' | 'businessNumber' | 'stateMachine' | 'oneTimeToken'
  readonly options: object
  readonly route: string
  readonly url: (operation: string) => string
  readonly json: object
}

const order = { item: 'book', amount: 42 }
const cases: Readonly<Record<string, Case>> = {
  'dedupe table': {
    preset: 'idempotencyKey',
    options: {},
    route: 'POST /api/orders',
    url: () => '/api/orders',
    json: order,
  },
  'order number': {
    preset: 'businessNumber',
    options: { place: { body: '/orderNo' } },
    route: 'POST /api/numbered-orders',
    url: () => '/api/numbered-orders',
    json: order,
  },
  'state machine': {
    preset: 'stateMachine',
    options: { state: '/status', reached: 'PAID' },
    route: 'POST /api/payments/*/pay',
    url: operation => `/api/payments/${operation}/pay`,
    json: { version: 1 },
  },
  'one-time token': {
    preset: 'oneTimeToken',
    options: { recover: '/api/token-orders/{token}' },
    route: 'POST /api/token-orders',
    url: () => '/api/token-orders',
    json: order,
  },
}

/** Opens the client of a mechanism in the page. */
async function open(tab: ChromiumTab, { preset, options }: Case, scope: string): Promise<void> {
  await tab.evaluate(
    (name, given, whose) => {
      const presets = window.sendonce as unknown as Record<
        string,
        (options: object) => ServerProfile
      >
      const make = presets[name]
      if (!make) throw new TypeError(`There is no ${name}().`)
      window.lab.open({ scope: whose, profile: make(given), retry: { attemptTimeoutMs: 1_000 } })
    },
    preset,
    options,
    scope,
  )
}

/** Submits the order of a mechanism, at this origin or at another. */
function submit(tab: ChromiumTab, { url, json }: Case, operation: string, origin = '') {
  return tab.evaluate(
    (address, body, name) => {
      const request = { url: address, json: body, headers: { 'x-operation': name } }
      return window.lab.submit(request)
    },
    `${origin}${url(operation)}`,
    json,
    operation,
  )
}

async function begin(mechanism: string, faults: readonly Fault[]): Promise<[Case, string]> {
  const each = cases[mechanism]
  if (!each) throw new TypeError(`No mechanism is called "${mechanism}".`)
  const operation = randomUUID()
  if (each.preset === 'stateMachine') {
    await fetch(`${backend.origin}/api/payments/${operation}`, { method: 'PUT' })
  }
  await backend.breaks([operation], each.route, [faults])
  return [each, operation]
}

const effectsOf = async (operation: string) =>
  (await backend.effects([operation])).get(operation) ?? 0

it.each(
  Object.keys(cases).flatMap(mechanism =>
    (['lose-reply', 'hang-after-effect', 'crash'] as const).map(
      fault => [mechanism, fault] as const,
    ),
  ),
)('has one effect and says so: %s, %s', async (mechanism, fault) => {
  const [each, operation] = await begin(mechanism, [fault])
  const tab = await chromium().newTab(`${backend.origin}/lab.html`)
  await open(tab, each, operation)
  expect(await submit(tab, each, operation)).toMatchObject({ state: 'succeeded' })
  expect(await effectsOf(operation)).toBe(1)
})

it('goes on after a reload with the same key', async () => {
  const [each, operation] = await begin('dedupe table', ['hang-after-effect'])
  const tab = await chromium().newTab(`${backend.origin}/lab.html`)
  await open(tab, each, operation)
  void submit(tab, each, operation).catch(() => {})
  await expect.poll(() => effectsOf(operation)).toBe(1)
  await tab.reload()
  await open(tab, each, operation)
  const told = await tab.evaluate(() => window.lab.resume())
  expect(told).toMatchObject({ state: 'succeeded', from: 'replay' })
  expect(await effectsOf(operation)).toBe(1)
  expect((await backend.delivered([operation], 'key')).get(operation)).toEqual([told.key])
})

it('asks an API of another origin, by its preflight', async () => {
  const [each, operation] = await begin('dedupe table', ['lose-reply'])
  const tab = await chromium().newTab(`${backend.origin}/lab.html`)
  await open(tab, each, operation)
  const api = `http://localhost:${backend.port}`
  expect(await submit(tab, each, operation, api)).toMatchObject({ state: 'succeeded' })
  expect(await effectsOf(operation)).toBe(1)
})
