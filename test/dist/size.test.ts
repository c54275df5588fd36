import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bundle, gzipped } from './bundle.ts'

/** One line of the table in the README: what an app takes, and how many gzip bytes it may pay for it. */
interface Row {
  readonly takes: string
  readonly from: string
  readonly budget: number
}

/** Each counts what comes on top of those before it. */
const ROWS: readonly Row[] = [
  { takes: '{ createClient, idempotencyKey }', from: 'sendonce', budget: 19_200 },
  { takes: '{ isSendonceError, SendonceError, OutcomeError }', from: 'sendonce', budget: 100 },
  { takes: '{ stripe }', from: 'sendonce', budget: 600 },
  { takes: '{ describe }', from: 'sendonce', budget: 900 },
  { takes: '{ useIdempotentSubmit, SendonceProvider }', from: 'sendonce/react', budget: 1_500 },
]

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').split('\n')

/** In gzip bytes, without ky, nanoid, idb-keyval and React. */
async function sizeOf(row: Row): Promise<number> {
  const rows = ROWS.slice(0, ROWS.indexOf(row) + 1)
  const entries = rows.map(({ takes, from }) => `export ${takes} from '${from}'\n`)
  const whole = gzipped(await bundle(entries.join('')))
  const rest = entries.slice(0, -1).join('')
  return rest ? whole - gzipped(await bundle(rest)) : whole
}

describe.each(ROWS)('$takes', row => {
  const { takes, budget } = row

  it(`is at most ${budget} bytes`, async () => {
    expect(await sizeOf(row)).toBeLessThanOrEqual(budget)
  })

  it('is as large as the README says', async () => {
    const size = `${((await sizeOf(row)) / 1_000).toFixed(1)} kB`
    const line = `| \`${takes}\` | ${size} |`
    console.log(line)
    expect(readme.filter(said => said.startsWith(`| \`${takes}\` `))).toEqual([line])
  })
})

it('leaves no export of the package out', async () => {
  const names = ROWS.flatMap(({ takes }) => takes.match(/\w+/g) ?? [])
  const entries = { ...(await import('sendonce')), ...(await import('sendonce/react')) }
  expect(names.sort()).toEqual(Object.keys(entries).sort())
})
