/** What a page of tests is made of; anything else is bytes. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Reads the file behind a URL path, `index.html` for a folder; undefined if there is none, or it lies outside. */
export async function readStatic(
  folders: Readonly<Record<string, string>>,
  pathname: string,
): Promise<{ bytes: Uint8Array; type: string } | undefined> {
  const path = decodeURIComponent(pathname)
  const prefix = Object.keys(folders)
    .filter(candidate => path.startsWith(candidate))
    .sort((a, b) => b.length - a.length)[0]
  if (prefix === undefined) return undefined
  const { readFile } = process.getBuiltinModule('node:fs/promises')
  const { extname, join, resolve, sep } = process.getBuiltinModule('node:path')
  const folder = resolve(folders[prefix] ?? '')
  const inside = join(folder, path.slice(prefix.length))
  const file = path.endsWith('/') ? join(inside, 'index.html') : inside
  if (!file.startsWith(folder + sep)) return undefined
  const bytes = await readFile(file).catch(() => undefined)
  return bytes && { bytes, type: TYPES[extname(file)] ?? 'application/octet-stream' }
}
