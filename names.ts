import { fileURLToPath } from 'node:url'

interface Alias {
  readonly find: RegExp
  readonly replacement: string
}

/** The public names of the package, for a bundler: as they are written (`src`), or as they are built (`dist`). */
export function namesIn(folder: 'src' | 'dist'): Alias[] {
  const index = `index.${folder === 'src' ? 'ts' : 'js'}`
  const at = (path: string) => fileURLToPath(new URL(`./${folder}/${path}`, import.meta.url))
  return [
    { find: /^sendonce$/, replacement: at(index) },
    { find: /^sendonce\/(.+)$/, replacement: at(`$1/${index}`) },
  ]
}
