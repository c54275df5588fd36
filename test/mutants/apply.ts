import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Hunk {
  readonly file: string
  readonly old: string
  readonly new: string
}

/** Copies the source, applies a patch to the copy, and returns where the copy is. */
export function mutate(name: string): string {
  const copy = join(ROOT, 'test/.out/mutants', name)
  rmSync(copy, { recursive: true, force: true })
  cpSync(join(ROOT, 'src'), join(copy, 'src'), { recursive: true })
  const patch = readFileSync(join(ROOT, 'test/mutants', `${name}.patch`), 'utf8')
  for (const hunk of hunksOf(patch)) {
    const file = join(copy, hunk.file)
    const before = readFileSync(file, 'utf8')
    const times = before.split(hunk.old).length - 1
    if (times !== 1) {
      throw new Error(
        `${name}.patch does not apply: ${hunk.file} has these lines ${times} times instead of once. Change the patch until they are the lines of the source (line numbers do not count).\n${hunk.old}`,
      )
    }
    writeFileSync(
      file,
      before.replace(hunk.old, () => hunk.new),
    )
  }
  return copy
}

/** Reads a unified diff. Its line numbers are for people: a hunk goes where its old lines are. */
function hunksOf(patch: string): readonly Hunk[] {
  return patch
    .split(/^--- a\//m)
    .slice(1)
    .flatMap(section => {
      const [file = '', , ...rest] = section.split('\n')
      const hunks = rest.join('\n').split(/^@@.*\n/m)
      return hunks.slice(1).map(hunk => {
        // Editors take the blank away that an empty line of context begins with.
        const lines = hunk
          .trimEnd()
          .split('\n')
          .map(line => line || ' ')
        const side = (signs: string) =>
          lines
            .filter(line => signs.includes(line.charAt(0)))
            .map(line => `${line.slice(1)}\n`)
            .join('')
        return { file, old: side(' -'), new: side(' +') }
      })
    })
}
