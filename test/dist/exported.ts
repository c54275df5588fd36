import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

/** A node of the syntax tree of a declaration file; only what is looked at here. */
interface Node {
  readonly type: string
  readonly start: number
  readonly [property: string]: unknown
}

/** Something that an app can name, or a member of it: where it is, and what is said of it. */
export interface Documented {
  /** `SubmitRequest.json` */
  readonly path: string
  readonly file: string
  /** Its docstring; empty: there is none. A member written in one line with others has that of the line. */
  readonly text: string
}

interface Module {
  readonly file: string
  readonly body: readonly Node[]
  /** The text of the docstring that ends right before this position; empty: there is none. */
  readonly docBefore: (start: number) => string
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = new Map<string, Module>()

function moduleAt(file: string): Module {
  const known = modules.get(file)
  if (known) return known
  const source = readFileSync(file, 'utf8')
  const { program, comments, errors } = parseSync(file, source, { lang: 'dts', astType: 'ts' })
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const module: Module = {
    file,
    body: program.body as unknown as readonly Node[],
    docBefore(start) {
      const doc = comments.find(
        ({ type, value, end }) =>
          type === 'Block' &&
          value.startsWith('*') &&
          end <= start &&
          // Before a member of a union stands its bar.
          /^[\s|]*$/.test(source.slice(end, start)),
      )
      return doc?.value.replace(/^\s*\*+ ?/gm, '').trim() ?? ''
    },
  }
  modules.set(file, module)
  return module
}

/** Every name that an entry of the package exports, with all of its members. `types`: the file of its declarations. */
export function exportedBy(types: string): readonly Documented[] {
  const index = moduleAt(join(root, types))
  return index.body.flatMap(node => {
    if (node.type === 'ExportAllDeclaration') throw new Error(`${types} exports without names.`)
    if (node.type !== 'ExportNamedDeclaration') return []
    const { source, specifiers } = node as unknown as {
      source: { value: string } | null
      specifiers: readonly { local: { name: string }; exported: { name: string } }[]
    }
    return specifiers.flatMap(({ local, exported }) => {
      if (!source) throw new Error(`${types} declares ${exported.name} itself.`)
      return declared(resolve(index, source.value), local.name, exported.name)
    })
  })
}

const resolve = (from: Module, path: string) =>
  moduleAt(join(dirname(from.file), path.replace(/\.[jt]sx?$/, '.d.ts')))

/** A declaration by its name, also one that a module only uses. */
function declarationOf(module: Module, name: string): { at: Node; node: Node } | undefined {
  for (const at of module.body) {
    const node = (
      at.type === 'ExportNamedDeclaration' && at.declaration ? at.declaration : at
    ) as Node
    const declarations = (node.declarations ?? [node]) as readonly { id?: { name?: string } }[]
    if (declarations.some(({ id }) => id?.name === name)) return { at, node }
  }
  return undefined
}

function declared(module: Module, name: string, path: string): readonly Documented[] {
  const found = declarationOf(module, name)
  if (!found) throw new Error(`${module.file} declares no ${name}.`)
  const own = { path, file: module.file, text: module.docBefore(found.at.start) }
  return [own, ...membersOf(module, found.node, path, own.text)]
}

/** All properties and methods that are written within a node, and in what it stands on that has no name outside. */
function membersOf(module: Module, node: Node, path: string, words: string): readonly Documented[] {
  const found: Documented[] = []
  const visit = (value: unknown, at: string, around: readonly string[]): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, at, around)
    if (typeof value !== 'object' || value === null || !('type' in value)) return
    const each = value as Node
    // What a guard makes of its argument is no member of anything.
    if (each.type === 'TSTypePredicate') return
    const doc = module.docBefore(each.start)
    const inner = BODIES.includes(each.type) ? [] : doc ? [...around, doc] : around
    const member = MEMBERS.includes(each.type) ? nameOf(each.key) : undefined
    if (member && asksForWords(each, member)) {
      // The members of an object that is written in one line are told by their names in the words above it.
      const told = around.find(words => new RegExp(`\`[^\`]*\\b${member}\\b[^\`]*\``).test(words))
      found.push({ path: `${at}.${member}`, file: module.file, text: doc || (told ?? '') })
    }
    const base = REFERENCES.includes(each.type)
      ? declarationOf(module, nameOf(each.typeName ?? each.expression) ?? '')
      : undefined
    if (base && base.at.type !== 'ExportNamedDeclaration') visit(base.node, at, [])
    for (const [name, child] of Object.entries(each)) {
      if (name !== 'parent') visit(child, member ? `${at}.${member}` : at, inner)
    }
  }
  visit(node, path, [words])
  return found
}

/** All but what tells the members of a union apart, what must not be given, and what a class makes of itself. */
function asksForWords({ typeAnnotation, accessibility, value }: Node, name: string): boolean {
  const { type } = ((typeAnnotation as Node | undefined)?.typeAnnotation ?? {}) as Partial<Node>
  if (accessibility === 'private' || ['is', 'constructor'].includes(name)) return false
  if ((value as Node | null)?.type === 'Literal') return false
  return type !== 'TSLiteralType' && type !== 'TSNeverKeyword'
}

const MEMBERS: readonly string[] = [
  'TSPropertySignature',
  'TSMethodSignature',
  'PropertyDefinition',
  'MethodDefinition',
]
/** Their members have words of their own. */
const BODIES: readonly string[] = ['TSInterfaceBody', 'ClassBody']
const REFERENCES: readonly string[] = ['TSTypeReference', 'TSInterfaceHeritage']

function nameOf(key: unknown): string | undefined {
  const { name, value } = key as { name?: string; value?: unknown }
  return name ?? (value === undefined ? undefined : String(value))
}
