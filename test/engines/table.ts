import type { Reporter, TestModule } from 'vitest/node'

const MARKS = { passed: '✓', failed: '×', skipped: '–', pending: '–' } as const

/** Prints which tests run in which engine, and how they ended there. */
export class EnginesTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const engines = modules.filter(({ project }) => project.name === 'engines')
    const rows = new Map<string, Map<string, string>>()
    for (const engine of engines) {
      for (const test of engine.children.allTests()) {
        const [name = '', ...titles] = test.fullName.split(' > ')
        const title = titles.join(' > ')
        const row = rows.get(title) ?? new Map<string, string>()
        rows.set(title, row.set(name, MARKS[test.result().state]))
      }
    }
    if (rows.size === 0) return
    const names = [...new Set([...rows.values()].flatMap(row => [...row.keys()]))].toSorted()
    console.log(`\n${names.join('  ')}`)
    for (const [title, row] of rows) {
      const cells = names.map(name =>
        (row.get(name) ?? ' ').padStart((name.length + 1) / 2).padEnd(name.length),
      )
      console.log(`${cells.join('  ')}  ${title}`)
    }
  }
}
