import type { ClientOptions, ServerProfile, SubmitRequest } from 'sendonce'
import { createClient, idempotencyKey, isSendonceError } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { ORDERS, order, Shop } from './shop.ts'

/** The message of what is refused, which names the value and what to do. */
function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (isSendonceError(error, 'invalid-argument')) return error.message
    throw error
  }
  throw new Error('Nothing was refused.')
}

async function rejection(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => new Error('Nothing was refused.'),
    (reason: unknown) => reason,
  )
  return refusal(() => {
    throw error
  })
}

const profile = (changes: object) => ({ ...idempotencyKey(), ...changes }) as ServerProfile

describe('createClient refuses', () => {
  it.each<readonly [message: RegExp, options: object]>([
    [/^scope is "": use 1 to 200 characters/, { scope: '' }],
    [/^scope is undefined: use 1 to 200/, { scope: undefined }],
    [/^scope is 5: /, { scope: 5 }],
    [/^scope is .*without control characters/, { scope: 'a\u0000b' }],
    [/^name is "": /, { name: '' }],
    [/^name is "x+": use 1 to 200/, { name: 'x'.repeat(201) }],
    [/^joinMs is -1: use milliseconds from 0/, { joinMs: -1 }],
    [/^joinMs is NaN: /, { joinMs: Number.NaN }],
    [/^joinMs is "1000": /, { joinMs: '1000' }],
    [/^keepSettledMs is -5: /, { keepSettledMs: -5 }],
    [/^keepSettledMs is Infinity: /, { keepSettledMs: Number.POSITIVE_INFINITY }],
    [/^storage is "localstorage": use indexeddb or memory/, { storage: 'localstorage' }],
    [/^storage is /, { storage: {} }],
    [/^storage is null: /, { storage: null }],
    [/^onStorageFailure is "ignore": use memory or refuse/, { onStorageFailure: 'ignore' }],
    [/^durability is "loose": use strict or relaxed/, { durability: 'loose' }],
    [/^retry\.maxAttempts is 0: use a whole number from 1/, { retry: { maxAttempts: 0 } }],
    [/^retry\.maxAttempts is 1\.5: /, { retry: { maxAttempts: 1.5 } }],
    [/^retry\.attemptTimeoutMs is 0: /, { retry: { attemptTimeoutMs: 0 } }],
    [/^retry\.deadlineMs is 2147483648: .* to 2147483647/, { retry: { deadlineMs: 2 ** 31 } }],
    [/^retry\.baseDelayMs is -1: /, { retry: { baseDelayMs: -1 } }],
    [/^retry\.maxDelayMs is "long": /, { retry: { maxDelayMs: 'long' } }],
    [/^profile\.id is undefined: /, { profile: {} }],
    [/^profile\.guarantee is "maybe": use replay/, { profile: profile({ guarantee: 'maybe' }) }],
    [
      /^origins is "https:\/\/shop\.example\/": use origins/,
      { origins: ['https://shop.example/'] },
    ],
    [/^profile\.ttlMs is 0: /, { profile: profile({ ttlMs: 0 }) }],
    [/^profile\.rules is .*: use an array/, { profile: profile({ rules: {} }) }],
    [/^profile\.failureKey is "new": /, { profile: profile({ failureKey: 'new' }) }],
    [/^profile\.key is undefined: use null/, { profile: profile({ key: undefined }) }],
    [
      /^profile\.key.*"two words"/,
      { profile: profile({ key: { place: { header: 'two words' } } }) },
    ],
    [/^profile\.key/, { profile: profile({ key: { place: {} } }) }],
    ...[
      { header: 'a', query: 'b' },
      { header: 'a', as: 'quoted' },
      { header: 'a', as: null },
      { query: 5 },
      { path: 5 },
    ].map(
      place =>
        [
          /^profile\.key\.place is .*: use one of a header/,
          { profile: profile({ key: { place } }) },
        ] as const,
    ),
    [/^profile cannot be used: /, { profile: profile({ pace: null }) }],
    [/^profile cannot be used: /, { profile: profile({ rules: [null] }) }],
    [
      /^profile\.rules\.body is "code": use a JSON pointer/,
      { profile: profile({ rules: [{ body: { code: 1 }, then: { is: 'failure' } }] }) },
    ],
    [
      /^profile\.pace\.retryAfter is 5: use a JSON pointer/,
      { profile: profile({ pace: { retryAfter: [{ body: 5, unit: 's' }] } }) },
    ],
    [/^profile\.requestId is "bad header"/, { profile: profile({ requestId: 'bad header' }) }],
    [/^profile\.ttlMs is -1: /, { profiles: [profile({ ttlMs: -1 })] }],
    [/^profile\.settleMs is NaN: /, { profile: profile({ settleMs: Number.NaN }) }],
    ...[Number.NaN, -1, '500'].map(
      minDelayMs =>
        [
          /^profile\.pace\.minDelayMs is \S+: use milliseconds from 0/,
          { profile: profile({ pace: { minDelayMs } }) },
        ] as const,
    ),
    [
      /^profile\.pace\.inProgressLimitMs is NaN: /,
      { profile: profile({ pace: { inProgressLimitMs: Number.NaN } }) },
    ],
    [
      /^profile\.pace\.retryAfter is "two words": use the name of a header/,
      { profile: profile({ pace: { retryAfter: [{ header: 'two words' }] } }) },
    ],
    [
      /^profile\.pace\.shouldRetryHeader is "should retry": /,
      { profile: profile({ pace: { shouldRetryHeader: 'should retry' } }) },
    ],
    ...[null, '409', Number.NaN, [409, '423'], { from: '400', to: 499 }].map(
      status =>
        [
          /^profile\.rules\.status is .*: use a number, an array of them, or \{ from, to \}/,
          { profile: profile({ rules: [{ status, then: { is: 'conflict' } }] }) },
        ] as const,
    ),
    [
      /^profile\.rules\.header is "two words": use the name of a header/,
      { profile: profile({ rules: [{ header: { 'two words': /x/ }, then: { is: 'failure' } }] }) },
    ],
    ...[
      ['"done"', { is: 'done' }],
      ['"not-executed"', { is: 'not-executed' }],
      ['"not-executed"', { is: 'not-executed', because: 'maintenance' }],
      ['"in-progress"', { is: 'in-progress', waitMs: '500' }],
      ['undefined', undefined],
      ['undefined', 'success'],
    ].map(
      ([said, then]) =>
        [
          new RegExp(`^profile\\.rules\\.then is ${said}: use a verdict, with its members`),
          { profile: profile({ rules: [{ then }] }) },
        ] as const,
    ),
  ])('what deserves %s', (message, options) => {
    const all = { scope: 'ada', storage: 'memory', ...options } as ClientOptions
    expect(refusal(() => createClient(all))).toMatch(message)
  })
})

describe('the name of an operation', () => {
  const client = createClient({ scope: 'ada', storage: 'memory' })

  it.each([
    'a',
    'checkout:cart-42',
    'x'.repeat(200),
    'Bestellung №42 😀',
    ' with blanks ',
    '😀'.repeat(100),
  ])('may be %j', name => {
    expect(client.operation(name).name).toBe(name)
  })

  it.each<readonly [unknown]>([
    [''],
    ['x'.repeat(201)],
    [`${'😀'.repeat(100)}x`],
    ['a\nb'],
    ['a\u0000'],
    ['a\u007f'],
    ['a\u0085'],
    ['\ud83d'],
    ['\ude00\ud83d'],
    [undefined],
    [42],
    [null],
  ])('may not be %j', async name => {
    const bad = name as string
    const message =
      /^operation is .*: use 1 to 200 characters, without control characters and lone surrogates\.$/
    expect(refusal(() => client.operation(bad))).toMatch(message)
    expect(await rejection(client.submit(bad, order()))).toMatch(message)
    expect(await rejection(client.submitOrThrow(bad, order()))).toMatch(message)
  })
})

describe('submit refuses', () => {
  it.each<readonly [message: RegExp, changes: object]>([
    [/^key is .*: use 1 to 255 characters/, { key: '' }],
    [/^key is .*: use 1 to 255 characters/, { key: 'x'.repeat(256) }],
    [/^key is .*printable ASCII/, { key: ' padded' }],
    [/^key is .*printable ASCII/, { key: 'schlüssel' }],
    [/^retry\.maxAttempts is 0: /, { retry: { maxAttempts: 0 } }],
    [/^profile\.guarantee/, { profile: profile({ guarantee: 'maybe' }) }],
    [/^method is "GET": use POST/, { method: 'GET' }],
    [/^url is "": /, { url: '' }],
    [/^url is "ftp:/, { url: 'ftp://shop.test/' }],
    [/^url is "(?!.*secret)/, { url: 'http://ada:secret@shop.test/' }],
    [
      /^headers is "authorization": set it in a ky hook/,
      { headers: { authorization: 'Bearer x' } },
    ],
    [/^headers is "cookie": /, { headers: { Cookie: 'a=b' } }],
    [/^onStorageFailure is "ignore": /, { onStorageFailure: 'ignore' }],
    [/^once is null: use true or false/, { once: null }],
    [/^sensitive is "yes": use true or false/, { sensitive: 'yes' }],
    [/^signal is .*: use the signal of/, { signal: new AbortController() }],
    [
      /^profile\.key\.mint cannot be used: Error: No number left/,
      {
        profile: profile({
          key: {
            place: { header: 'idempotency-key' },
            mint: () => {
              throw new Error('No number left')
            },
          },
        }),
      },
    ],
  ])('what deserves %s', async (message, changes) => {
    const shop = new Shop()
    const { client } = shop.open()
    const request = { ...order(), ...changes } as SubmitRequest
    expect(await rejection(shop.ending(client.submit('checkout', request)))).toMatch(message)
    expect(await rejection(shop.ending(client.operation('checkout').submit(request)))).toMatch(
      message,
    )
    await shop.world.settle()
    expect(shop.records.records()).toEqual([])
    expect(shop.log).toEqual([])
  })

  it('a key that the profile cannot carry, and never shows it whole', async () => {
    const shop = new Shop()
    const base = idempotencyKey()
    const strict = {
      ...base,
      id: 'strict',
      key: { place: { header: 'idempotency-key' }, minLength: 10, maxLength: 20, pattern: /^K/ },
    }
    const { client } = shop.open({ profile: strict })
    for (const key of ['short', 'far-too-long-for-this-server', 'wrong-beginning']) {
      const message = await rejection(shop.ending(client.submit('checkout', { ...order(), key })))
      expect(message).toMatch(/^key is /)
      expect(message).not.toContain(key)
    }
  })

  it('a key that the profile mints and could not carry', async () => {
    const shop = new Shop()
    const base = idempotencyKey()
    const broken = { ...base, id: 'broken', key: { place: { header: 'k' }, mint: () => 'ü' } }
    const { client } = shop.open({ profile: broken })
    expect(await rejection(shop.ending(client.submit('checkout', order())))).toMatch(/^key is /)
  })

  it('a key that the profile has no place for', async () => {
    const shop = new Shop()
    const { client } = shop.open({
      profile: profile({ id: 'keyless', guarantee: 'none', key: null }),
    })
    const request = { ...order(), key: 'mine' }
    expect(await rejection(shop.ending(client.submit('checkout', request)))).toMatch(/^key is /)
  })

  it('a header of its own where the profile puts the key', async () => {
    const shop = new Shop()
    const { client } = shop.open()
    const request = { ...order(), headers: { 'Idempotency-Key': 'mine' } }
    expect(await rejection(shop.ending(client.submit('checkout', request)))).toMatch(
      /idempotency-key/,
    )
  })
})

describe('a body that cannot be sent twice', () => {
  it.each<readonly [string, unknown]>([
    [
      'a cycle',
      (() => {
        const a: { self?: unknown } = {}
        a.self = a
        return { json: a }
      })(),
    ],
    ['a big integer', { json: { amount: 1n } }],
    ['a stream', { body: new ReadableStream() }],
    ['a function', { json: () => {} }],
  ])('%s is a body error, and nothing is stored or sent', async (_, content) => {
    const shop = new Shop()
    const { client } = shop.open()
    const request = { url: ORDERS, ...(content as object) } as SubmitRequest
    await expect(shop.ending(client.submit('checkout', request))).rejects.toMatchObject({
      name: 'SendonceError',
      code: 'body',
    })
    expect(shop.records.records()).toEqual([])
    expect(shop.log).toEqual([])
    const outcome = await shop.ending(client.submit('checkout', order()))
    expect(outcome.state).toBe('succeeded')
  })
})
