import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { at, matchRule } from '../../src/profiles/match.ts'
import type { JsonPointer, Reply, Rule, Verdict } from '../../src/profiles/profile.ts'

const reply = (
  status: number,
  json: unknown = undefined,
  headers: Record<string, string> = {},
): Reply => ({ status, json, headers: new Headers(headers), bodyLost: false, redirected: false })

describe('a JSON pointer', () => {
  const document = JSON.parse(
    '{"a":{"b":[10,{"c":null}]},"":1,"m~n":2,"x/y":3,"~1":4,"__proto__":{"p":5},"0":6}',
  )

  it.each([
    ['', document],
    ['/a/b/0', 10],
    ['/a/b/1/c', null],
    ['/', 1],
    ['/m~0n', 2],
    ['/x~1y', 3],
    ['/~01', 4],
    ['/__proto__/p', 5],
    ['/0', 6],
  ] as [JsonPointer, unknown][])('"%s" finds what the document says', (pointer, found) => {
    expect(at(document, pointer)).toBe(found)
  })

  it.each([
    ['a member that is not there', '/nothing'],
    ['something inherited', '/constructor'],
    ['something inherited by a member', '/a/toString'],
    ['the length of an array', '/a/b/length'],
    ['an index beyond the end', '/a/b/2'],
    ['the place after the end', '/a/b/-'],
    ['an index with a leading zero', '/a/b/00'],
    ['a member of null', '/a/b/1/c/d'],
    ['a member of a number', '/a/b/0/d'],
  ] as [string, JsonPointer][])('finds nothing at %s', (_what, pointer) => {
    expect(at(document, pointer)).toBeUndefined()
  })

  it.each([[undefined], [null], ['text'], [7], [true]])('finds nothing in %s', json => {
    expect(at(json, '/length')).toBeUndefined()
    expect(at(json, '')).toBe(json)
  })

  it('does not see the prototype of a document that has no such member', () => {
    expect(at({}, '/__proto__')).toBeUndefined()
  })
})

describe('a rule', () => {
  const then: Verdict = { is: 'mismatch' }
  const matches = (rule: Omit<Rule, 'then'>, answer: Reply) =>
    matchRule([{ ...rule, then }], answer) !== undefined

  it.each([
    ['no condition', {}, reply(500), true],
    ['its status', { status: 409 }, reply(409), true],
    ['another status', { status: 409 }, reply(410), false],
    ['a status of its list', { status: [400, 409] }, reply(409), true],
    ['a status beside its list', { status: [400, 409] }, reply(401), false],
    ['the first status of its range', { status: { from: 500, to: 599 } }, reply(500), true],
    ['the last status of its range', { status: { from: 500, to: 599 } }, reply(599), true],
    ['a status beside its range', { status: { from: 500, to: 599 } }, reply(600), false],
    [
      'its header',
      { header: { 'X-State': 'done' } },
      reply(200, null, { 'x-state': 'done' }),
      true,
    ],
    [
      'another header',
      { header: { 'x-state': 'done' } },
      reply(200, null, { 'x-state': 'no' }),
      false,
    ],
    ['no such header', { header: { 'x-state': /./ } }, reply(200), false],
    [
      'its header pattern',
      { header: { 'x-state': /^d/ } },
      reply(200, null, { 'x-state': 'done' }),
      true,
    ],
    ['its member', { body: { '/code': 'A1' } }, reply(200, { code: 'A1' }), true],
    ['a number for a text', { body: { '/code': '1' } }, reply(200, { code: 1 }), false],
    ['null for its null', { body: { '/data': null } }, reply(200, { data: null }), true],
    ['nothing for its null', { body: { '/data': null } }, reply(200, {}), false],
    ['its pattern', { body: { '/text': /again/ } }, reply(200, { text: 'not again' }), true],
    ['a number for its pattern', { body: { '/code': /1/ } }, reply(200, { code: 1 }), false],
    ['no JSON', { body: { '/code': 'A1' } }, reply(200), false],
    [
      'one of two conditions',
      { status: 200, body: { '/code': 1 } },
      reply(200, { code: 2 }),
      false,
    ],
    ['both conditions', { status: 200, body: { '/code': 1 } }, reply(200, { code: 1 }), true],
  ] as [string, Omit<Rule, 'then'>, Reply, boolean][])(
    'given %s',
    (_what, rule, answer, expected) => {
      expect(matches(rule, answer)).toBe(expected)
    },
  )

  it('wins when it is the first to match', () => {
    const rules: Rule[] = [
      { status: 500, then: { is: 'unknown' } },
      { status: 409, then: { is: 'conflict' } },
      { then: { is: 'success' } },
    ]
    expect(matchRule(rules, reply(409))).toEqual({ is: 'conflict' })
    expect(matchRule(rules, reply(204))).toEqual({ is: 'success' })
    expect(matchRule([], reply(204))).toBeUndefined()
  })

  it('reads the same twice with a global pattern', () => {
    const rule = { body: { '/text': /again/g } }
    for (let i = 0; i < 3; i++) expect(matches(rule, reply(200, { text: 'again' }))).toBe(true)
  })

  it('survives any JSON', () => {
    const pointer = fc
      .array(
        fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'length', '0', '~2')),
      )
      .map(steps => steps.map(step => `/${step}`).join('') as JsonPointer)
    fc.assert(
      fc.property(fc.jsonValue(), pointer, (json, where) => {
        at(json, where)
        matchRule([{ body: { [where]: /x/ }, then }], reply(200, json))
      }),
    )
  })
})
