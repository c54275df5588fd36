import { afterAll, expect, it } from 'vitest'
import type { Fault } from './backend/faults.ts'
import type { Cell, Ended } from './cell.ts'
import { expectOnce, play, tally } from './cell.ts'
import type { Backend } from './one-backend.ts'

/** How operations may end: the name of a {@link tally}. */
type Endings = readonly string[]

/** A row of the table that is printed. */
interface Row {
  readonly fault: string
  readonly endings: Readonly<Record<string, number>>
  readonly effects: number
  readonly attempts: number
  readonly deaths: number
  readonly ms: number
}

/**
 * One test for each fault of a mechanism: an effect for each success, none for a no, never two; and no other ending than
 * those that are listed. Prints how they ended.
 */
export function testCells(
  mechanism: string,
  backend: () => Backend,
  cell: Omit<Cell, 'faults'>,
  faults: Readonly<Partial<Record<Fault | 'nothing', Endings>>>,
  test: typeof it | typeof it.skip = it,
): void {
  const rows: Row[] = []
  afterAll(() => {
    if (rows.length > 0) console.log(table(mechanism, rows))
  })
  const cases = Object.entries(faults) as [Fault | 'nothing', Endings][]
  test.each(cases)(
    `${mechanism}, %s: every operation ends, with one effect at most`,
    async (fault, endings) => {
      const began = Date.now()
      const before = backend().deaths()
      const ended = await play(backend(), { ...cell, faults: fault === 'nothing' ? [] : [[fault]] })
      rows.push(rowOf(fault, ended, backend().deaths() - before, Date.now() - began))
      expectOnce(ended)
      expect(endings).toEqual(expect.arrayContaining(Object.keys(tally(ended))))
    },
  )
}

export function rowOf(fault: string, ended: readonly Ended[], deaths: number, ms: number): Row {
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
  return {
    fault,
    endings: tally(ended),
    effects: sum(ended.map(({ effects }) => effects)),
    attempts: sum(ended.map(({ outcome }) => outcome.attempts)),
    deaths,
    ms,
  }
}

/** For people, in a terminal. */
export function table(mechanism: string, rows: readonly Row[]): string {
  const endings = [...new Set(rows.flatMap(row => Object.keys(row.endings)))]
  const head = [mechanism, ...endings, 'effects', 'attempts', 'deaths', 'ms']
  const lines = rows.map(({ fault, effects, attempts, deaths, ms, ...row }) => [
    fault,
    ...endings.map(name => row.endings[name] ?? ''),
    effects,
    attempts,
    deaths,
    ms,
  ])
  const cells = [head, ...lines].map(line => line.map(String))
  const widths = head.map((_, at) => Math.max(...cells.map(line => line[at]?.length ?? 0)))
  return cells
    .map(line =>
      line
        .map((text, at) =>
          at === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[at] ?? 0),
        )
        .join('  '),
    )
    .join('\n')
}
