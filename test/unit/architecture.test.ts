import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'

const ROOT = fileURLToPath(new URL('../../src/', import.meta.url))

interface Source {
  readonly name: string
  readonly text: string
  /** Relative to `src`. */
  readonly imports: readonly string[]
  /** Of these only their types are imported: nothing of them runs. */
  readonly types: readonly string[]
  readonly packages: readonly string[]
}

const IMPORT = /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm

function read(name: string): Source {
  const text = readFileSync(join(ROOT, name), 'utf8')
  const found = [...text.matchAll(IMPORT)].map(([, type, from, bare]) => ({
    type: type !== undefined,
    from: from ?? bare ?? '',
  }))
  const local = found.filter(({ from }) => from.startsWith('.'))
  const path = (from: string) => normalize(join(dirname(name), from))
  return {
    name,
    text,
    imports: local.filter(({ type }) => !type).map(({ from }) => path(from)),
    types: local.filter(({ type }) => type).map(({ from }) => path(from)),
    packages: found.filter(({ from }) => !from.startsWith('.')).map(({ from }) => from),
  }
}

const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter(name => /\.tsx?$/.test(name))
  .sort()
  .map(read)
const named = new Map(sources.map(source => [source.name, source]))

/** The first circle that is found, as a list of files. */
function circle(of: (source: Source) => readonly string[]): readonly string[] | undefined {
  const done = new Set<string>()
  const walk = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name]
    const source = named.get(name)
    if (!source || done.has(name)) return undefined
    for (const next of of(source)) {
      const found = walk(next, [...path, name])
      if (found) return found
    }
    done.add(name)
    return undefined
  }
  for (const { name } of sources) {
    const found = walk(name, [])
    if (found) return found
  }
  return undefined
}

/** From the outside to the inside: a file may import from its own layer and from those after it. */
const LAYERS: readonly RegExp[] = [
  /^index(\.development)?\.ts$|^(react|form|binding|testing)\//,
  /^client\.ts$/,
  /^(operation|fetch|handle|gate|sight|outcome|running)\.ts$/,
  /^loop\.ts$/,
  // Decides, sends, waits, reads, tells: whatever the loop is made of.
  /^(?!(address|record|key|body|errors|platform|sha256|deferred)\.ts$|store\/store\.ts$|profiles\/match\.ts$)/,
  /^/,
]

const layerOf = (name: string): number => LAYERS.findIndex(files => files.test(name))

describe('src', () => {
  it('is read by this test as a whole', () => {
    expect(sources.length).toBeGreaterThan(30)
    const missing = sources.flatMap(({ name, imports, types }) =>
      [...imports, ...types].filter(to => !named.has(to)).map(to => `${name} -> ${to}`),
    )
    expect(missing).toEqual([])
  })

  it('has no circle of imports', () => {
    expect(circle(({ imports }) => imports)).toBeUndefined()
  })

  it('has arrows that point one way: entry points, client, operation, loop, parts, foundations', () => {
    const wrong = sources.flatMap(({ name, imports }) =>
      imports.filter(to => layerOf(to) < layerOf(name)).map(to => `${name} -> ${to}`),
    )
    expect(wrong).toEqual([])
  })

  it('imports no test, and the mock server nothing of the client', () => {
    const wrong = sources
      .filter(({ name }) => name.startsWith('testing/'))
      .flatMap(({ name, imports, types }) =>
        [...imports, ...types]
          .filter(to => !to.startsWith('testing/'))
          .map(to => `${name} -> ${to}`),
      )
    expect(wrong).toEqual([])
  })

  it.each([
    ['ky', 'send.ts'],
    ['idb-keyval', 'store/indexed-db.ts'],
    ['nanoid', 'key.ts'],
  ])('imports %s in %s only', (dependency, importer) => {
    const importers = sources.filter(({ packages }) => packages.includes(dependency))
    expect(importers.map(({ name }) => name)).toEqual([importer])
  })

  it('imports React in the binding only', () => {
    const importers = sources.filter(({ packages }) =>
      packages.some(dependency => /^react(-dom)?(\/|$)/.test(dependency)),
    )
    expect(importers.filter(({ name }) => !name.startsWith('react/'))).toEqual([])
  })

  it('imports nothing else outside the mock server', () => {
    const allowed = /^(ky|idb-keyval|nanoid|react|react\/jsx-runtime)$/
    const others = sources
      .filter(({ name }) => !name.startsWith('testing/'))
      .flatMap(({ name, packages }) =>
        packages.filter(each => !allowed.test(each)).map(each => `${name}: ${each}`),
      )
    expect(others).toEqual([])
  })

  it('has index files that export and do nothing else', () => {
    for (const { name, text } of sources.filter(({ name }) => /(^|\/)index\.ts$/.test(name))) {
      const rest = text
        .replace(/\/\/.*$|\/\*[\s\S]*?\*\//gm, '')
        .replace(/^(['"])use client\1;?$/gm, '')
        .replace(/^export\s+(type\s+)?\{[^}]*\}\s+from\s+'[^']+'$/gm, '')
      expect([name, rest.trim()]).toEqual([name, ''])
    }
  })
})

const GLOBALS = [
  'window',
  'document',
  'navigator',
  'indexedDB',
  'localStorage',
  'location',
  'BroadcastChannel',
  'fetch',
  'crypto',
  'performance',
  'Date',
  'setTimeout',
] as const

describe('importing the core', () => {
  it('reads no global of the browser: what is taken at import passes by fake timers and polyfills', async () => {
    const read: string[] = []
    const undo = GLOBALS.map(name => spyOn(name, () => void read.push(name)))
    vi.resetModules()
    try {
      const { createClient } = await import('../../src/index.ts')
      expect(read).toEqual([])
      createClient({ scope: 'ada', storage: 'memory' }).close()
      expect(read).not.toEqual([])
    } finally {
      for (const stop of undo) stop()
    }
  })
})

/** Reports each time that a file of `src` reads a global. */
function spyOn(name: string, report: () => void): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name)
  const put = (value: unknown) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  Object.defineProperty(globalThis, name, {
    configurable: true,
    get() {
      const { stack = '' } = new Error('Read.')
      if (stack.split('\n')[2]?.includes('/src/')) report()
      return before?.get ? before.get.call(globalThis) : before?.value
    },
    set: put,
  })
  return () => {
    if (before) Object.defineProperty(globalThis, name, before)
    else Reflect.deleteProperty(globalThis, name)
  }
}
