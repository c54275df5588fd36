import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { bundle, GLOBALS } from './bundle.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const targets = Object.values(manifest.exports).flatMap(target =>
  typeof target === 'string' ? [target] : Object.values(target),
)
const entries = Object.keys(manifest.exports).filter(path => !path.endsWith('.json'))

it.each(targets)('%s is there', target => {
  expect(existsSync(root + target)).toBe(true)
})

describe.each(entries.map(path => path.replace('.', 'sendonce')))('importing %s', entry => {
  it('looks at nothing that is not of the language, and leaves nothing behind', async () => {
    const language = runInNewContext('globalThis')
    const anything: unknown = new Proxy(() => {}, { get: () => anything, apply: () => anything })
    const given = Object.fromEntries(GLOBALS.map(name => [name, anything]))
    const touched = new Set<PropertyKey>()
    const machine = new Proxy(given, {
      get(_given, name) {
        if (!(name in given) && !(name in language)) touched.add(name)
        return Reflect.get(name in given ? given : language, name)
      },
      defineProperty(_given, name) {
        touched.add(name)
        return true
      },
    })
    const script = await bundle(`export * from '${entry}'`, { format: 'iife' })
    runInNewContext(`(() => {${script}\n})()`, machine)
    expect([...touched]).toEqual([])
  })
})

it("keeps 'use client' at the top of every file of sendonce/react", () => {
  const files = readdirSync(`${root}/dist/react`).filter(name => name.endsWith('.js'))
  expect(files).toContain('index.js')
  for (const name of files) {
    expect(readFileSync(`${root}/dist/react/${name}`, 'utf8')).toMatch(/^'use client'/)
  }
})

it('needs no MSW but for its handlers', async () => {
  expect(await bundle("export * from 'sendonce/testing'")).not.toMatch(/from\s*['"]msw['"]/)
  expect(await bundle("export * from 'sendonce/testing/msw'")).toMatch(/from\s*['"]msw['"]/)
})
