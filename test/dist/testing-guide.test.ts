import { expect, it } from 'vitest'
import { textsOf } from './declared.ts'
import { readPage } from './pages.ts'

it('docs/testing.md says of every fault what becomes of the order and what the page gets, and of no other', () => {
  const declarations = readPage('dist/testing/faults.d.ts')
  const [, plain = ''] = /PLAIN_FAULTS: readonly \[(.*?)\];/s.exec(declarations) ?? []
  const detailed = [...declarations.matchAll(/readonly is: (.*);/g)].map(([, type]) => type)
  const faults = textsOf([plain, ...detailed].join('\n'))
  expect(faults.length).toBeGreaterThan(18)

  const [, rows = ''] =
    /\| fault \|.*?\n\|---.*?\n(.*?)\n\n/s.exec(readPage('docs/testing.md')) ?? []
  const cells = rows.split('\n').map(row => row.split(' | ')[0] ?? '')
  const told = cells.flatMap(cell => [...cell.matchAll(/`(?:\{ is: ')?([\w-]+)(?:' \})?`/g)])
  expect(told.map(([, fault]) => fault).sort()).toEqual(faults)
})
