import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8')

/** Every page of the project, from its root. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.md'))
    .map(file => join('docs', file))
    .sort(),
]

/** A piece of code that a page shows. */
export interface Block {
  readonly page: string
  /** Of its first line, from 1. */
  readonly line: number
  readonly language: string
  /** The file that it is a copy of, if it is one: "```ts api.ts". */
  readonly file: string | undefined
  readonly code: string
}

/** The pieces of code of a page, in whatever language. */
export function blocksOf(page: string): readonly Block[] {
  const text = readPage(page)
  return [...text.matchAll(/^```(\w*)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ({ index, 1: language = '', 2: file, 3: code = '' }) => {
      const line = text.slice(0, index).split('\n').length + 1
      return { page, line, language, file, code }
    },
  )
}
