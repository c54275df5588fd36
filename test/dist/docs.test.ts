import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { PAGES, readPage as read } from './pages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The pages that promise: each of their statements names the test that shows it. */
const PROMISING = ['docs/guarantees.md', 'docs/security.md']

/** What a link leads to, and what it calls it: `[name]: target "title"` and `[name](target "title")`. */
interface Link {
  readonly target: string
  readonly title: string | undefined
}

/** Without code: what looks like a link in there is none. */
const prose = (page: string) =>
  read(page)
    .replace(/^```.*?^```$/gms, '')
    .replace(/`[^`\n]*`/g, '')

const definitions = (page: string): ReadonlyMap<string, Link> =>
  new Map(
    [...prose(page).matchAll(/^\[([^\]]+)\]: (\S+)(?: "(.*)")?$/gm)].map(
      ([, name = '', target = '', title]) => [name, { target, title }],
    ),
  )

const linksOf = (page: string): readonly Link[] => [
  ...definitions(page).values(),
  ...[...prose(page).matchAll(/\]\(([^)\s]+)(?: "(.*?)")?\)/g)].map(([, target = '', title]) => ({
    target,
    title,
  })),
]

/** As GitHub makes it of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

const isLocal = ({ target }: Link) => !/^[a-z]+:/i.test(target)

/** What is wrong with a link, if anything is. */
function faultOf(page: string, { target, title }: Link): string | undefined {
  const [path = '', anchor] = target.split('#')
  const file = path ? relative(root, join(root, dirname(page), path)) : page
  if (!existsSync(join(root, file))) return `${target} is not there`
  if (anchor !== undefined && !anchorsOf(file).includes(anchor)) return `${target} has no such part`
  if (title === undefined || !file.startsWith('test')) return undefined
  if (!statSync(join(root, file)).isFile()) return `${target} is no file`
  // In quotes, so that it is a title; `${…}` may stand before it.
  const quoted = new RegExp(`['"\`][^'"\\n]*${title.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}`)
  return quoted.test(read(file)) ? undefined : `${target} has no test "${title}"`
}

describe.each(PAGES)('%s', page => {
  it('has only links that lead somewhere, to a test that has the title they name', () => {
    const links = linksOf(page).filter(isLocal)
    expect(links.map(link => faultOf(page, link)).filter(Boolean)).toEqual([])
  })

  it('defines every link that it uses, and uses every one that it defines', () => {
    const defined = [...definitions(page).keys()].sort()
    const text = prose(page).replace(/^\[[^\]]+\]: .*$/gm, '')
    const used = [...text.matchAll(/\[([^[\]]+)\](?:\[([^\]]*)\])?(?!\()/g)].map(
      ([, name = '', reference]) => reference || name,
    )
    const named = (names: readonly string[]) =>
      [...new Set(names.map(name => name.replaceAll('\n', ' ')))].sort()
    expect(named(used).filter(name => defined.includes(name))).toEqual(defined)
    const references = [...text.matchAll(/\]\[([^\]]+)\]/g)].map(([, name = '']) => name)
    expect(named(references).filter(name => !defined.includes(name))).toEqual([])
  })
})

describe.each(PROMISING)('%s', page => {
  const links = definitions(page)

  it('names a test for each thing that it states', () => {
    const [, ...parts] = prose(page)
      .replace(/^\[[^\]]+\]: .*$/gm, '')
      .split(/^(?=- |\| )/m)
    const statements = parts
      .map(part => part.split(/\n\n/)[0]?.replaceAll('\n', ' ') ?? '')
      // Heads of tables, and the lines under them. What an app is advised to do is a numbered list.
      .filter(part => !/^\| (?:what|) ?\||^\|---|shown by \|/.test(part))
    const unshown = statements.filter(statement => {
      const named = [...statement.matchAll(/\]\[([^\]]+)\]/g)].map(([, name = '']) => name)
      const shown = named.some(name => links.get(name)?.target.startsWith('../test/'))
      return !shown && !statement.includes('](security.md)')
    })
    expect(statements.length).toBeGreaterThan(30)
    expect(unshown).toEqual([])
  })

  it('names each test by its title', () => {
    for (const { target, title } of links.values()) expect([target, title]).not.toContain(undefined)
  })
})

it('has no guide that the README does not lead to', () => {
  const led = linksOf('README.md').map(({ target }) => target)
  const guides = PAGES.filter(page => /^docs\/[^/]+$/.test(page))
  expect(guides.length).toBeGreaterThan(8)
  expect(guides.filter(page => !led.includes(page))).toEqual([])
})

it('has every guide that the README leads to in the package', () => {
  const npm = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [packed] = JSON.parse(execFileSync('npm', npm, { cwd: root, encoding: 'utf8' })) as [
    { readonly files: readonly { readonly path: string }[] },
  ]
  const files = packed.files.map(({ path }) => path)
  const led = linksOf('README.md')
    .filter(isLocal)
    .map(({ target }) => target.split('#')[0] ?? '')
    .filter(target => /^docs\/.*\.md$/.test(target))
  expect(led.length).toBeGreaterThan(8)
  expect(led.filter(target => !files.includes(target))).toEqual([])
})
