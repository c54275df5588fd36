import { readFileSync } from 'node:fs'
import type { ErrorCode, Outcome, Snapshot } from 'sendonce'
import { OutcomeError, SendonceError, describe as sentence } from 'sendonce'
import { describe, expect, it } from 'vitest'
import { needsNobody } from '../../src/lifecycle.ts'
import { unionOf, valuesOf } from './declared.ts'

const at = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Of each table row whose first cell begins with code: what that says, and the other cells. */
function rowsOf(text: string): readonly (readonly [name: string, ...cells: string[]])[] {
  const rows = [...text.matchAll(/^\| `([\w:-]+)`(.*) \|$/gm)]
  return rows.map(([, name = '', rest = '']) => [name, ...rest.split(' | ').slice(1)])
}

const [before = '', errors = ''] = at('docs/states.md').split('## Errors')
const states = rowsOf(before)
const codes = rowsOf(errors)
const names = (rows: readonly (readonly [string, ...string[]])[]) =>
  rows.map(([name]) => name).sort()

const REASONS = { waiting: 'WaitReason', paused: 'PauseReason', unknown: 'UnknownReason' }
const LIFECYCLE = 'dist/lifecycle.d.ts'

function snapshotOf(name: string): Snapshot<unknown> {
  const [state, reason] = name.split(':')
  return {
    state,
    reason,
    here: true,
    resumable: true,
    operation: 'x',
  } as unknown as Snapshot<unknown>
}

describe('docs/states.md', () => {
  it('has a row for every state and every reason of one, and no other', () => {
    const all = valuesOf(LIFECYCLE, 'state').flatMap(state =>
      state in REASONS
        ? unionOf(LIFECYCLE, REASONS[state as keyof typeof REASONS]).map(
            reason => `${state}:${reason}`,
          )
        : [state],
    )
    expect(all.length).toBeGreaterThan(20)
    expect(names(states)).toEqual(all.sort())
  })

  it('has a row for every code of an error, and no other', () => {
    expect(names(codes)).toEqual(unionOf('dist/errors.d.ts', 'ErrorCode'))
  })

  it('fills every cell', () => {
    for (const row of states) expect(row.filter(Boolean)).toHaveLength(5)
    for (const row of codes) expect(row.filter(Boolean)).toHaveLength(5)
  })

  it.each(states)('says what describe says of %s', (name, ...cells) => {
    expect(cells.at(-1)).toBe(sentence(snapshotOf(name)))
  })

  it.each(codes)('says what describe says of the error %s', (name, ...cells) => {
    const outcome = snapshotOf(name.replace('-outcome', ''))
    const [error, said] = ['refused', 'paused', 'unknown-outcome'].includes(name)
      ? [
          new OutcomeError(outcome as Exclude<Outcome<unknown>, { state: 'succeeded' }>),
          'the sentence of the outcome',
        ]
      : [new SendonceError(name as ErrorCode, 'its message'), undefined]
    expect(error.code).toBe(name)
    expect(cells.at(-1)).toBe(said ?? sentence(error))
    if (said) expect(sentence(error)).toBe(sentence(outcome))
  })

  it('names the reasons that are left to a person', () => {
    const [, listed = ''] = /only a person may decide: ([^.]*)\./.exec(before) ?? []
    const left = unionOf(LIFECYCLE, 'UnknownReason').filter(
      reason => !needsNobody(snapshotOf(`unknown:${reason}`)),
    )
    expect([...listed.matchAll(/`([\w-]+)`/g)].map(([, reason]) => reason).sort()).toEqual(left)
  })
})
