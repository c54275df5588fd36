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
  { takes: '{ createClient, idempotencyKey }', from: 'sendonce', budget: 26_050 },
  { takes: '{ isSendonceError, SendonceError, OutcomeError }', from: 'sendonce', budget: 100 },
  { takes: '{ describe, remainingMs }', from: 'sendonce', budget: 1_200 },
  {
    takes: '{ useIdempotentSubmit, useCountdown, SendonceProvider }',
    from: 'sendonce/react',
    budget: 4_650,
  },
  { takes: '{ bindForm }', from: 'sendonce/form', budget: 2_050 },
  { takes: '{ createTimeline }', from: 'sendonce', budget: 1_000 },
]

/** Each counts by itself on top of the core: none brings another. */
const PRESETS = [
  'stripe',
  'repeatability',
  'oneTimeToken',
  'dedupeTable',
  'businessNumber',
  'stateMachine',
  'repeatWindow',
]
const PRESET_BUDGET = 650

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

it.each(PRESETS)(
  '%s takes no more than the README says, and brings no other preset',
  async name => {
    const core = `export { createClient, idempotencyKey } from 'sendonce'\n`
    const more = await bundle(`${core}export { ${name} } from 'sendonce'\n`)
    const bytes = gzipped(more) - gzipped(await bundle(core))
    console.log(`${name} ${bytes}`)
    expect(bytes).toBeLessThanOrEqual(PRESET_BUDGET)
    expect(readme.join('\n')).toContain('| each other preset | at most 0.6 kB |')
  },
)

it('says what the dependencies add', async () => {
  const core = `export { createClient, idempotencyKey } from 'sendonce'\n`
  const whole = gzipped(await bundle(core, { dependencies: true }))
  const size = `${((whole - gzipped(await bundle(core))) / 1_000).toFixed(1)} kB`
  const line = `| ky, nanoid and idb-keyval | ${size} |`
  console.log(line)
  expect(readme.filter(said => said.startsWith('| ky, nanoid'))).toEqual([line])
})

it('leaves no export of the package out', async () => {
  const names = [...ROWS.flatMap(({ takes }) => takes.match(/\w+/g) ?? []), ...PRESETS]
  const entries = {
    ...(await import('sendonce')),
    ...(await import('sendonce/react')),
    ...(await import('sendonce/form')),
  }
  expect(names.sort()).toEqual(Object.keys(entries).sort())
})
