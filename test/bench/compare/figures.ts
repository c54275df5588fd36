import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import peers from '../package.json' with { type: 'json' }

const PAGE = fileURLToPath(new URL('../../../docs/benchmark.md', import.meta.url))
/** Before the browsers of the comparison began to make their own. */
const LOAD = loadavg()[0] ?? Number.NaN
/** What stands between is of the last run. */
const FIGURES = /(?<=<!-- figures -->\n).*(?=<!-- end of figures -->)/s

export function writeFigures(figures: string): void {
  const page = readFileSync(PAGE, 'utf8')
  if (!FIGURES.test(page)) throw new Error(`${PAGE} has no place for the figures.`)
  writeFileSync(
    PAGE,
    page.replace(FIGURES, () => `\n${figures}\n\n`),
  )
}

/** What the figures are of, so that somebody else can tell why theirs differ. */
export function circumstances(chromium: string): string {
  const { react: _react, 'react-dom': _dom, ...libraries } = peers.dependencies
  const versions = Object.entries(libraries).map(([name, version]) => `${name} ${version}`)
  return [
    `${new Date().toISOString().slice(0, 10)}; ${cpus()[0]?.model.trim()}, ${cpus().length} cores,`,
    `load ${LOAD.toFixed(1)} before; ${chromium}, Node ${process.versions.node};`,
    `${versions.join(', ')}.`,
  ].join(' ')
}
