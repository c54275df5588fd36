import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The programs that run in processes of their own; Node 20 cannot run TypeScript. */
const ENTRIES = ['backend', 'middlewares', 'embedded'] as const
export type Entry = (typeof ENTRIES)[number]

const OUT = here('../.out/interop')

/** The file that runs an entry, once it is built. */
export function built(entry: Entry): string {
  return `${OUT}/${entry}.js`
}

/** Builds them all. */
export async function buildEntries(): Promise<void> {
  await build({
    configFile: false,
    root: here('.'),
    logLevel: 'error',
    // One file starts in half the time; PGlite looks for its own files beside itself.
    ssr: { noExternal: true, external: ['@electric-sql/pglite'] },
    build: {
      ssr: true,
      outDir: OUT,
      // Another run may be using it.
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries(ENTRIES.map(entry => [entry, here(`${entry}/main.ts`)])),
        output: { entryFileNames: '[name].js' },
      },
    },
  })
}
