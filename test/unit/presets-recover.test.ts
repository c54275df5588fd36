import { describe, expect, it } from 'vitest'
import { businessNumber } from '../../src/profiles/business-number.ts'
import { dedupeTable } from '../../src/profiles/dedupe-table.ts'
import { oneTimeToken } from '../../src/profiles/one-time-token.ts'
import type { RecoverContext, Recovered, ServerProfile } from '../../src/profiles/profile.ts'
import { stateMachine } from '../../src/profiles/state-machine.ts'

const CONTEXT: RecoverContext = {
  operation: 'checkout:cart 42',
  key: 'order-1',
  token: 'token:1',
  url: 'api/orders',
  json: undefined,
  reply: undefined,
}

/** Asks, and says what was asked for and what was learnt. */
async function ask(
  profile: ServerProfile,
  answer: Response,
  more: Partial<RecoverContext> = {},
): Promise<{ asked: string[]; learnt: Recovered | undefined | 'nothing' }> {
  const asked: string[] = []
  const learnt = await Promise.resolve(
    profile.recover?.({ ...CONTEXT, ...more }, async (url, options) => {
      asked.push(`${options?.method ?? 'GET'} ${url}`)
      return answer
    }),
  ).catch(() => 'nothing' as const)
  return { asked, learnt }
}

const json = (body: unknown, status = 200) => Response.json(body, { status })
const html = (status = 200) =>
  new Response('<html>', { status, headers: { 'content-type': 'text/html' } })

describe('asking at an address', () => {
  const orders = businessNumber({ recover: 'api/orders/{key}' })

  it('puts key, token and operation into it, escaped', async () => {
    const profile = oneTimeToken({ recover: 'q?t={token}&k={key}&o={operation}' })
    const { asked } = await ask(profile, json({}))
    expect(asked).toEqual(['GET q?t=token%3A1&k=order-1&o=checkout%3Acart%2042'])
  })

  it('asks nothing where a part is missing: it would be answered with something else', async () => {
    const without = await ask(orders, json([]), { key: undefined })
    expect(without).toEqual({ asked: [], learnt: { is: 'unknown' } })
    const empty = await ask(orders, json([]), { key: '' })
    expect(empty).toEqual({ asked: [], learnt: { is: 'unknown' } })
  })

  it('takes a key with braces in it for what it is', async () => {
    expect(await ask(orders, json({}), { key: '{token}' })).toMatchObject({
      asked: ['GET api/orders/%7Btoken%7D'],
      learnt: { is: 'succeeded' },
    })
  })

  it.each([
    ['200 with JSON', json({ id: 1 }), { is: 'succeeded', data: { id: 1 } }],
    ['404 with JSON', json({ code: 'NOT_FOUND' }, 404), { is: 'not-applied' }],
    ['404 without a body', new Response(null, { status: 404 }), { is: 'unknown' }],
    ['404 with a page', html(404), { is: 'unknown' }],
    ['200 with a page', html(), { is: 'unknown' }],
    ['202', json({}, 202), { is: 'unknown' }],
    ['401', json({}, 401), { is: 'unknown' }],
    ['409', json({}, 409), { is: 'unknown' }],
    ['429', json({}, 429), { is: 'unknown' }],
    ['500', json({}, 500), { is: 'unknown' }],
  ] as [string, Response, Recovered][])('%s', async (_, answer, learnt) => {
    expect((await ask(orders, answer)).learnt).toEqual(learnt)
  })

  it('reads an envelope as any other answer', async () => {
    const table = dedupeTable({ recover: 'api/requests/{key}' })
    expect((await ask(table, json({ code: 'DONE', data: { id: 1 } }))).learnt).toEqual({
      is: 'succeeded',
      data: { id: 1 },
    })
    for (const code of ['FAILED', 'NOT_FOUND']) {
      expect((await ask(table, json({ code }))).learnt).toEqual({ is: 'unknown' })
    }
    expect((await ask(table, json({}))).learnt).toEqual({ is: 'unknown' })
  })

  it('asks again what is being worked on', async () => {
    const table = dedupeTable({ recover: 'api/requests/{key}' })
    expect((await ask(table, json({ code: 'PROCESSING' }))).learnt).toEqual({ is: 'in-progress' })
  })

  it('reads a state as any other answer', async () => {
    const paid = stateMachine({ reached: 'PAID', recover: 'api/orders/{operation}' })
    expect((await ask(paid, json({ state: 'PAID', version: 2 }))).learnt).toEqual({
      is: 'succeeded',
      data: { state: 'PAID', version: 2 },
    })
    expect((await ask(paid, json({ state: 'PENDING' }))).learnt).toEqual({ is: 'unknown' })
  })

  it('learns nothing where the asking fails', async () => {
    const recovering = orders.recover?.(CONTEXT, () => Promise.reject(new TypeError('offline')))
    await expect(recovering).rejects.toThrow('offline')
  })
})

describe('a way to ask', () => {
  it('is one of your own where a function is given', async () => {
    const recover = async (): Promise<Recovered> => ({ is: 'not-applied' })
    for (const profile of [
      businessNumber({ recover }),
      dedupeTable({ recover }),
      oneTimeToken({ recover }),
      stateMachine({ reached: 'PAID', recover }),
    ]) {
      expect(profile.recover).toBe(recover)
    }
  })

  it('is none by default, and "not applied" is never final by itself', () => {
    for (const profile of [businessNumber(), dedupeTable(), oneTimeToken()]) {
      expect(profile).not.toHaveProperty('recover')
      expect(profile).not.toHaveProperty('recoverIsFinal')
      expect(profile).not.toHaveProperty('settleMs')
    }
  })
})
