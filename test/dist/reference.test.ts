import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import compiler from '../../scripts/reference/tsconfig.json' with { type: 'json' }
import typedoc from '../../scripts/reference/typedoc.json' with { type: 'json' }
import { exportedBy } from './exported.ts'

const scripts = fileURLToPath(new URL('../../scripts/reference', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Each entry of the package, by the file of its declarations. */
const ENTRIES = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [[path.replace('.', manifest.name), target.types] as const],
)

/** What a docstring says beside its tags: a default alone is no description. */
const wordsOf = (text: string) => text.replace(/(?:^|\s)@\w.*/s, '').trim()

it('is made of every entry of the package', () => {
  const made = typedoc.entryPoints.map(path => join(scripts, path))
  expect(made).toEqual(ENTRIES.map(([, types]) => join(root, types)))
  expect(compiler.files).toEqual(typedoc.entryPoints)
})

describe.each(ENTRIES)('%s', (entry, types) => {
  const all = exportedBy(types)
  const names = all.map(({ path }) => path)

  it('has words for every name that it exports, and for every option and property', () => {
    const silent = all.filter(({ text }) => wordsOf(text) === '')
    expect(silent.map(({ path, file }) => `${path} (${file})`)).toEqual([])
  })

  it('has every name that a module gets', async () => {
    expect(names).toEqual(expect.arrayContaining(Object.keys(await import(entry))))
  })

  it('leaves none of them out of what is generated', () => {
    const left = typedoc.intentionallyNotExported
    expect(names.filter(name => left.includes(name))).toEqual([])
  })
})

it('finds options wherever they are written', () => {
  const names = ENTRIES.flatMap(([, types]) => exportedBy(types)).map(({ path }) => path)
  const places = {
    interface: 'ClientOptions.scope',
    'type with a union in it': 'SubmitRequest.json',
    'member of a union': 'Verdict.waitMs',
    'base that is not exported': 'SendonceEvent.keyTail',
    'argument of a method': 'Client.forget.dryRun',
    'object in an object': 'ServerProfile.pace.minDelayMs',
    class: 'SendonceError.code',
  }
  expect(names).toEqual(expect.arrayContaining(Object.values(places)))
})

it('reads the words, and not the code around them', () => {
  const [scope] = exportedBy('dist/index.d.ts').filter(({ path }) => path === 'ClientOptions.scope')
  const source = readFileSync(join(root, 'src/client-options.ts'), 'utf8')
  expect(scope?.text).toMatch(/^Whose operations these are/)
  for (const line of scope?.text.split('\n') ?? []) expect(source).toContain(`   * ${line}\n`)
})
