import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { unionOf } from './declared.ts'

const at = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const readme = at('README.md')

it.each([
  ['dist/client-options.d.ts', 'ClientOptions'],
  ['dist/decide.d.ts', 'RetryPolicy'],
  ['dist/client.d.ts', 'Client'],
  ['dist/operation.d.ts', 'Operation'],
  ['dist/request.d.ts', 'SubmitRequest'],
  ['dist/profiles/idempotency-key.d.ts', 'IdempotencyKeyOptions'],
  ['dist/binding/options.d.ts', 'SubmitOptions'],
  ['dist/binding/options.d.ts', 'IdempotentSubmit'],
])('names every member of %s %s', (file, name) => {
  const [, body = ''] =
    at(file).match(new RegExp(`export (?:interface|type) ${name}\\b.*?\\{\\n(.*?)\\n\\}`, 's')) ??
    []
  const members = [...body.matchAll(/^ {4}(?:readonly )?(\w+)(?:<.*?>)?\??[:(]/gm)]
  expect(members.length).toBeGreaterThan(3)
  for (const [, member] of members) expect(readme).toMatch(new RegExp(`\`(?:\\w+: )?${member}\\b`))
})

it('names every code of an error and every reason of not knowing, and no other', () => {
  expect(firstColumn('| code |')).toEqual(unionOf('dist/errors.d.ts', 'ErrorCode'))
  expect(firstColumn('| reason |')).toEqual(unionOf('dist/lifecycle.d.ts', 'UnknownReason'))
})

it('starts the playground and the tests with commands that exist', () => {
  const commands = [...readme.matchAll(/^npm install && npm (?:run )?(\w+)$/gm)]
  expect(commands.map(([, script]) => script)).toEqual(['dev', 'test'])
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(['dev', 'test']))
})

/** The words in code in the first cell of each row of a table. */
function firstColumn(header: string): string[] {
  const [, rows = ''] = readme.split(header)[1]?.match(/\n\|---.*?\n(.*?)\n\n/s) ?? []
  const cells = rows.split('\n').map(row => row.split('|')[1] ?? '')
  return cells.flatMap(cell => [...cell.matchAll(/`(.*?)`/g)].map(([, word = '']) => word)).sort()
}
