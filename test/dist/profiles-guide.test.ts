import { readFileSync } from 'node:fs'
import type { RecoverContext, ServerProfile } from 'sendonce'
import { expect, it } from 'vitest'
import { runBlock, sections } from '../unit/cases/guide.ts'

const at = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const guide = at('docs/profiles.md')
const blocks = (await sections()).flatMap(section => section.blocks)

const PROVIDERS = [
  'PayPal',
  'Adyen',
  'Square',
  'GoCardless',
  'YooKassa',
  'WeChat Pay',
  'A 200 envelope',
]

/** What the blocks export, run as they stand on the built package. */
async function exported(): Promise<Record<string, unknown>> {
  const modules = blocks.map((code, n) => runBlock(`built-${n + 1}`, code))
  return Object.assign({}, ...(await Promise.all(modules)))
}

/** What a function makes of hardly any options, if it is a preset. */
function tryToMake(value: unknown): unknown {
  try {
    return (value as (options: unknown) => unknown)({ reached: ['PAID'] })
  } catch {
    return undefined
  }
}

const CONTEXT: RecoverContext = {
  operation: 'checkout',
  key: 'k',
  token: undefined,
  url: 'payments',
  json: undefined,
  reply: undefined,
}

/** Asks as a profile of the guide does; resolves with what it asked for and what it learnt. */
async function recover(
  name: string,
  answer: Response,
  context: Partial<RecoverContext>,
): Promise<unknown> {
  const profile = (await exported())[name] as ServerProfile
  let asked: string | undefined
  const learnt = await profile.recover?.({ ...CONTEXT, ...context }, async url => {
    asked = url
    return answer
  })
  return { asked, learnt }
}

it('works out every provider with code, a table of answers, and the source of what it says', async () => {
  const worked = (await sections()).filter(({ table }) => table !== undefined)
  expect(worked.map(({ title }) => title)).toEqual(PROVIDERS)
  for (const section of worked) {
    expect(section.blocks).toHaveLength(1)
    expect(section.source).toMatch(/^https:/)
    expect((section.table ?? '').split('\n').length).toBeGreaterThan(6)
  }
  expect(guide).toMatch(/All sources were read\s+in\s+November\s+2026/)
})

it('says what every verdict means, and of no other', () => {
  const [, union = ''] =
    /type Verdict = (.*?)export interface Reply/s.exec(at('dist/profiles/profile.d.ts')) ?? []
  const verdicts = [...union.matchAll(/is: '([\w-]+)'/g)].map(([, is]) => is)
  const [, table = ''] = /^\| verdict \|.*?\n\|---.*?\n(.*?)\n\n/ms.exec(guide) ?? []
  const told = [...table.matchAll(/^\| `([\w-]+)`/gm)].map(([, is]) => is)
  expect([...new Set(told)].sort()).toEqual([...new Set(verdicts)].sort())
})

it('has a picture that leads to every preset, and says what follows of its guarantee', async () => {
  const AFTER = {
    replay: 'sent again',
    reject: 'as a probe',
    window: 'never again',
    none: 'never again',
  }
  const picture = at('docs/images/choose-your-profile.svg')
  const texts = [...picture.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text]) => text)
  const drawn = texts.flatMap((text = '', n) => {
    const [, name] = /^(\w+)\(\)$/.exec(text) ?? []
    return name ? [[name, texts[n + 1]]] : []
  })
  const exported = Object.entries(await import('sendonce')).flatMap(([name, value]) => {
    const made: unknown = /^[a-z]/.test(name) && name !== 'createClient' && tryToMake(value)
    const { guarantee } = (made || {}) as Partial<ServerProfile>
    return guarantee ? [[name, AFTER[guarantee]]] : []
  })
  expect(exported).toHaveLength(8)
  expect(drawn.sort()).toEqual(exported.sort())
  expect(picture).toContain('<title id="title">Choose your profile</title>')
})

it('exports profiles that a client takes', async () => {
  const { createClient } = await import('sendonce')
  const profiles = Object.values(await exported()).filter(
    (value): value is ServerProfile =>
      typeof value === 'object' && value !== null && 'guarantee' in value,
  )
  expect(profiles.length).toBeGreaterThanOrEqual(PROVIDERS.length + 4)
  for (const profile of profiles) {
    const client = createClient({ scope: 'ada', storage: 'memory', profile })
    client.close()
  }
})

it('asks GoCardless for the resource that a conflict names, and nothing where it names none', async () => {
  const conflict = { error: { errors: [{ links: { conflicting_resource_id: 'PM/1' } }] } }
  const reply = (json: unknown) => ({
    status: 409,
    headers: new Headers(),
    json,
    bodyLost: false,
    redirected: false,
  })
  const found = Response.json({ payments: { id: 'PM/1' } })
  expect(await recover('goCardless', found, { reply: reply(conflict) })).toEqual({
    asked: 'payments/PM%2F1',
    learnt: { is: 'succeeded', data: { payments: { id: 'PM/1' } } },
  })
  for (const json of [undefined, null, {}, { error: {} }, { error: { errors: [{}] } }]) {
    expect(await recover('goCardless', Response.json({}), { reply: reply(json) })).toEqual({
      asked: undefined,
      learnt: { is: 'unknown' },
    })
  }
})

it('asks WeChat Pay for the order by its number', async () => {
  const json = { mchid: '1900000109' }
  const asked = 'v3/pay/transactions/out-trade-no/k?mchid=1900000109'
  const answers: [Response, unknown][] = [
    [
      Response.json({ trade_state: 'NOTPAY' }),
      { is: 'succeeded', data: { trade_state: 'NOTPAY' } },
    ],
    [Response.json({ code: 'ORDER_NOT_EXIST' }, { status: 404 }), { is: 'not-applied' }],
    [Response.json({ code: 'SYSTEM_ERROR' }, { status: 500 }), { is: 'unknown' }],
  ]
  for (const [answer, learnt] of answers) {
    expect(await recover('weChatPay', answer, { json })).toEqual({ asked, learnt })
  }
  expect(await recover('weChatPay', Response.json({}), { json: {} })).toMatchObject({
    asked: undefined,
    learnt: { is: 'unknown' },
  })
})

it('asks for the state of an order', async () => {
  const paid = { state: 'PAID' }
  expect(await recover('payments', Response.json(paid), { url: 'orders/7/pay' })).toEqual({
    asked: 'orders/7',
    learnt: { is: 'succeeded', data: paid },
  })
})
