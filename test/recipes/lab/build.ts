import { fileURLToPath } from 'node:url'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import vue from '@vitejs/plugin-vue'
import { build } from 'vite'
import { namesIn } from '../../../names.ts'

/** A path of test/recipes. */
const here = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** All recipes as one app, with the package as it is published, from `dist`. */
export async function buildRecipes(outDir: string): Promise<string> {
  await build({
    configFile: false,
    root: here(''),
    base: './',
    logLevel: 'warn',
    plugins: [vue(), svelte({ configFile: false })],
    resolve: { alias: namesIn('dist') },
    // React in its development form: StrictMode does everything twice there, and mistakes reach the console.
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: {
      outDir,
      emptyOutDir: true,
      minify: false,
      modulePreload: false,
      rolldownOptions: {
        input: [here('lab/index.html'), here('plain-page.html')],
        // 'use client' is for servers, and some of the libraries have it in every file.
        checks: { moduleLevelDirective: false },
      },
    },
  })
  return outDir
}
