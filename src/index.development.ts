import { createDevelopmentHints } from './development-hints.ts'
import { hintBy } from './hints.ts'

hintBy(createDevelopmentHints())

export * from './index.ts'
