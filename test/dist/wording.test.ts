import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { valuesOf } from './declared.ts'

const page = readFileSync(new URL('../../docs/wording.md', import.meta.url), 'utf8')

/** The rows of the tables: what they are about, and the cells. */
const rows = [...page.matchAll(/^\| (`.*|an error.*) \|$/gm)].map(([, row = '']) => {
  const [about = '', ...cells] = row.split(' | ')
  return { about, said: quotesOf(cells[0]), never: cells.at(-1) ?? '' }
})

function quotesOf(cell = ''): string {
  return [...cell.matchAll(/"(.*?)"/g)].map(([, quote]) => quote).join(' ')
}

const about = (state: string) => rows.filter(row => row.about.includes(`\`${state}\``))

describe('docs/wording.md', () => {
  it('knows what to say in every state but that in which nothing was done', () => {
    const states = valuesOf('dist/lifecycle.d.ts', 'state').filter(state => state !== 'idle')
    expect(states.filter(state => about(state).length === 0)).toEqual([])
    for (const row of rows) expect(row.never).not.toBe('')
  })

  it('says of nothing that it failed', () => {
    for (const { said } of rows) expect(said).not.toMatch(/fail|error|wrong/i)
  })

  it('says of what is unknown neither that it happened nor that it did not', () => {
    expect(about('unknown')).toHaveLength(2)
    for (const { said } of about('unknown')) {
      expect(said).toContain("We don't know yet whether")
      expect(said).not.toMatch(/not sent|was not|did not|didn't|nothing/i)
    }
  })

  it('calls sending again safe only where it is', () => {
    const safe = rows.filter(({ said }) => /safe/i.test(said)).map(row => row.about)
    expect(safe).toEqual(['`unknown`, `resumable`'])
  })

  it('says of what is paused that nothing has happened', () => {
    for (const { said } of about('paused')) expect(said).toContain('Nothing has happened yet')
  })
})
