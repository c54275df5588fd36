import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** What an app has already, made from the server. */
const OF_THE_SERVER = ['openapi-schema.ts', 'trpc-router.ts']

it('docs/recipes.md shows the files that run, each of them', () => {
  const shown = [...read('../../docs/recipes.md').matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(
    ([, file = '', code]) => [file, code] as const,
  )
  for (const [file, code] of shown) expect(code).toBe(read(file))
  const recipes = readdirSync(new URL('.', import.meta.url)).filter(
    file => /^[\w-]+\.(html|svelte|tsx?|vue)$/.test(file) && !OF_THE_SERVER.includes(file),
  )
  expect(shown.map(([file]) => file).sort()).toEqual(recipes.sort())
})
