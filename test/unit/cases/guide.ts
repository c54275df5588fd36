import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { ServerProfile } from 'sendonce'
import type { Case } from './table.ts'
import { casesOf } from './table.ts'

const at = (path: string): URL => new URL(`../../../${path}`, import.meta.url)

/** A part of the guide: its heading, its code, and its table of answers if it has one. */
export interface Section {
  readonly title: string
  readonly blocks: readonly string[]
  readonly table: string | undefined
  /** The first source that it names. */
  readonly source: string
}

/** What docs/profiles.md says, heading by heading. */
export async function sections(): Promise<Section[]> {
  const guide = await readFile(at('docs/profiles.md'), 'utf8')
  return guide.split(/^#+ /m).map(text => ({
    title: text.split('\n')[0] ?? '',
    blocks: [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code),
    table: /^\| answer \|.*\n(?:\|.*\n)*/m.exec(text)?.[0],
    source: /https:\S+[\w/]/.exec(text)?.[0] ?? '',
  }))
}

/** What a block of the guide exports, run as it stands. */
export async function runBlock(name: string, code: string): Promise<Record<string, unknown>> {
  const folder = at('test/.out/guide/')
  const file = new URL(`${name}.ts`, folder)
  await mkdir(folder, { recursive: true })
  await writeFile(file, code)
  return import(/* @vite-ignore */ file.href)
}

/** The profile that a section writes out. */
export async function profileOf({ title, blocks: [code = ''] }: Section): Promise<ServerProfile> {
  const exported = await runBlock(title.replaceAll(' ', '-').toLowerCase(), code)
  const [profile] = Object.values(exported)
  return profile as ServerProfile
}

/** The rows of the tables of the guide. */
export async function guideCases(): Promise<Case[]> {
  const worked = (await sections()).filter(({ table }) => table !== undefined)
  const cases = worked.map(async section =>
    casesOf(section.title, await profileOf(section), section.table ?? '', section.source),
  )
  return (await Promise.all(cases)).flat()
}
