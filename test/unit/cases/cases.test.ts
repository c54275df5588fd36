import { afterAll, describe, expect, it } from 'vitest'
import { guideCases } from './guide.ts'
import { MIDDLEWARES } from './middlewares.ts'
import { PRESETS } from './presets.ts'
import { PROVIDERS } from './providers.ts'
import { run } from './table.ts'
import { TRAPS } from './traps.ts'

const CASES = [...PRESETS, ...PROVIDERS, ...MIDDLEWARES, ...TRAPS, ...(await guideCases())]

/** Who has to be there. */
const SERVERS = [
  'IETF draft',
  'Stripe v1',
  'Stripe v2',
  'PayPal',
  'Adyen',
  'Square',
  'Shopify',
  'Azure, OASIS',
  'Google AIP-155',
  'AWS',
  'GoCardless',
  'Mollie',
  'Modern Treasury',
  'Increase',
  'Qonto',
  'Checkout.com',
  'YooKassa',
  'Amazon Pay',
  'Razorpay X',
  'Open Banking UK',
  'Worldline',
  'WeChat Pay',
  'Alipay',
  'node-idempotency',
  'hono-idempotency',
  'express-idempotency',
  'universal-idempotent-request',
  'nestarc',
  'Laravel infinitypaul',
  'Laravel square1',
  'idempotency4j',
  'congomall',
  'wangzaiplus',
  'zmbdp',
  'bootx',
  'RuoYi',
  'RuoYi-Vue-Plus',
  'yudao',
]

describe('an answer of a server, at a point of an operation', () => {
  it.each(CASES)('$of, $history: $answer', one => {
    expect(run(one)).toEqual({ verdict: one.verdict, next: one.next })
  })
})

it('has cases of every server that was looked at', () => {
  const seen = new Set(CASES.map(({ of }) => of))
  expect(SERVERS.filter(server => !seen.has(server))).toEqual([])
})

it('has a source for every case: an address, a standard, a repository, or a name and "as reported"', () => {
  const source = /^https:\/\/|^RFC \d+, |^draft-|^[\w.-]+\/[\w.-]+|as reported|^idempotency4j/
  expect(CASES.filter(one => !source.test(one.source)).map(one => one.source)).toEqual([])
})

it('has at least 120 different answers', () => {
  const answers = new Set(CASES.map(({ of, answer }) => `${of}: ${answer}`))
  expect(answers.size).toBeGreaterThanOrEqual(120)
})

afterAll(() => {
  const answers = new Set(CASES.map(({ of, answer }) => `${of}: ${answer}`))
  console.log(
    `${CASES.length} cases, ${answers.size} answers of ${new Set(CASES.map(({ of }) => of)).size} kinds`,
  )
})
