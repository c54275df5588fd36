import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { beforeAll, describe, expect, it } from 'vitest'
import { compile } from './compile.ts'
import type { Block } from './pages.ts'
import { blocksOf, PAGES } from './pages.ts'

/** What the pieces of code take from the app around them, and from those before them. */
const APP = `
import type { Client, createClient as Create, describe as Describe } from 'sendonce'
import type { bindForm as Bind } from 'sendonce/form'
declare global {
  interface Cart { readonly id: string; readonly items: readonly string[] }
  interface Order { readonly id: string }
  const cart: Cart
  const form: HTMLFormElement
  const session: { readonly userId: string | null }
  const api: Client
  const client: Client
  const createClient: typeof Create
  const describe: typeof Describe
  const bindForm: typeof Bind
  function show(order: Order | undefined): void
  function explain(answer: unknown): void
  function signInAgain(): void
  function offerToSendAgain(sentence: string): void
  function toCart(form: FormData): Cart
  function toOrder(response: Response): Promise<Order>
  function detailOf(answer: unknown): string
  function navigate(path: string): void
}
`

/** Whole files that a page shows are taken from here, where a test compiles and runs them. */
const FOLDERS = ['test/recipes', 'test/dist/guides']

const CODE = ['ts', 'tsx', 'js', 'jsx', 'mts', 'vue', 'svelte']

const root = fileURLToPath(new URL('../..', import.meta.url))
const all = PAGES.flatMap(blocksOf)
const blocks = all.filter(({ language }) => CODE.includes(language))
const diffs = all.filter(({ language }) => language === 'diff')
const pieces = [
  ...blocks.filter(({ file }) => file === undefined),
  // Of a change, what there is after it.
  ...diffs.map(block => ({ ...block, language: 'ts', code: sideOf(block, '+') })),
]
const copies = blocks.filter(({ file }) => file !== undefined)

/** One side of a diff: `-` before the change, `+` after it. */
function sideOf({ code }: Block, sign: '-' | '+'): string {
  const lines = code.split('\n').filter(line => !line || ` ${sign}`.includes(line.charAt(0)))
  return lines.map(line => line.slice(1)).join('\n')
}

/** Named so that what the compiler says of it leads to its page. */
const nameOf = ({ page, line, language }: Block) =>
  `${page.replaceAll(/\W+/g, '-').replace(/-md$/, '')}-line-${line}.${language}`

let said: string
beforeAll(async () => {
  const files = pieces.map(block => [nameOf(block), `export {}\n${block.code}`])
  said = await compile(
    'snippets',
    { 'app.d.ts': APP, ...Object.fromEntries(files) },
    { module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true },
  )
})

describe.each(PAGES.filter(page => pieces.some(block => block.page === page)))('%s', page => {
  it('has only pieces of code that compile', () => {
    const names = pieces.filter(block => block.page === page).map(nameOf)
    const lines = said.split('\n').filter(line => names.some(name => line.includes(name)))
    expect(lines).toEqual([])
  })
})

it('is all that the compiler has to say', () => {
  expect(said).toBe('')
  expect(pieces.length).toBeGreaterThan(25)
})

it.each(copies.map(block => [block.file, block.page, block] as const))(
  '%s is in %s as it is compiled and run',
  (file = '', _page, { code }) => {
    const found = FOLDERS.filter(folder => readdirSync(root + folder).includes(file))
    expect(found).toHaveLength(1)
    expect(code).toBe(readFileSync(`${root}${found[0]}/${file}`, 'utf8'))
  },
)

/** It takes packages that are not installed here: it is not compiled, but it has to be code. */
it.each(diffs)('$page line $line changes what could be compiled before', diff => {
  const { errors } = parseSync('before.ts', sideOf(diff, '-'))
  expect(errors).toEqual([])
})

it('leaves no code in a language that nothing compiles', () => {
  const others = blocks.filter(({ language, file }) => !file && !['ts', 'tsx'].includes(language))
  expect(others.map(nameOf)).toEqual([])
  expect(copies.every(({ file = '' }) => basename(file) === file)).toBe(true)
})
