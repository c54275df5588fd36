import type { ServerProfile } from 'sendonce'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { idempotencyKey, describe as sentence } from '../../src/index.ts'
import type { Tab } from './token-shop.ts'
import { order, recover, TokenShop, tokenProfile } from './token-shop.ts'

const KEY = 'order-number-4711-of-ada'

afterEach(() => vi.restoreAllMocks())

/** Everything that a log could be made of: events, console, errors with their causes, sentences. */
async function logged(
  profile: ServerProfile,
  trouble: Partial<TokenShop['trouble']>,
): Promise<string> {
  const said: unknown[] = []
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...all) => void said.push(...all))
  }
  const shop = new TokenShop()
  Object.assign(shop.trouble, trouble)
  const { client, events }: Tab = shop.open(profile, { retry: { maxAttempts: 2 } })
  const handle = client.operation('checkout')
  const key = profile.key ? { key: KEY } : {}
  const work = [
    () => handle.prepare(),
    () => handle.submit({ ...order(), ...key }),
    () => handle.submit({ ...order({ item: 'pen' }), ...key }),
    () =>
      handle.submit({ url: 'http://shop.test/x', json: { no: KEY }, key: 'other-key-of-ada-1' }),
    () => handle.recover(),
    () => handle.resume(),
    () => handle.discard(),
    () => handle.submitOrThrow({ ...order(), ...key }),
  ]
  for (const each of work) {
    const ended = await shop.ending(Promise.resolve().then<unknown>(each)).catch(error => error)
    for (let error = ended; error instanceof Error; error = error.cause) {
      said.push(error.message, error.name)
    }
    if (ended && typeof ended === 'object' && 'state' in ended) {
      said.push(sentence(ended as never))
      for (let error = (ended as { cause?: unknown }).cause; error instanceof Error; ) {
        said.push(error.message)
        error = error.cause
      }
    }
  }
  expect(events.length).toBeGreaterThan(3)
  return JSON.stringify([said, events])
}

describe('no key and no token is in an event, a message or a log', () => {
  const places = [{ header: 'x-key' }, { query: 'no' }, { body: '/no' }] as const
  it.each(places)('with the key at %j', async place => {
    const profile = { ...idempotencyKey(), id: 'placed', key: { place }, recover }
    for (const order of [['lose-reply'], ['fail', 'fail'], ['lose-reply', 'busy']] as const) {
      expect(await logged(profile, { order: [...order] })).not.toContain(KEY)
    }
  })

  it('with a token, however it and the question fail', async () => {
    for (const token of [[], ['fail'], ['lose-request']] as const) {
      for (const order of [['lose-reply'], ['fail', 'fail'], ['lose-request', 'refuse']] as const) {
        const trouble = { token: [...token], order: [...order] }
        const said = await logged(tokenProfile({ recover }), trouble)
        expect(said).not.toMatch(/token-\d/)
      }
    }
  })

  it('a log that held one would be found', async () => {
    const leaky = tokenProfile({
      recover: async ({ token }) => {
        throw new Error(`No answer for ${token}.`)
      },
    })
    expect(await logged(leaky, { order: ['lose-reply'] })).toMatch(/token-\d/)
  })
})
