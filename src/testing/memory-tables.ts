import type { Rows, Tables } from './tables.ts'

/** Tables of one process, whose changes also run at once: a test can read them between two statements. */
export interface MemoryTables extends Tables {
  changeNow<R>(run: (rows: Rows) => R): R
}

export function memoryTables(rows: Rows): MemoryTables {
  return {
    changeNow: run => run(rows),
    change: async run => run(rows),
  }
}
