import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { namesIn } from './names.ts'

/** The playground, on the source of the package. */
export default defineConfig({
  root: fileURLToPath(new URL('./playground', import.meta.url)),
  // Relative, so that the build can lie in any folder of a site.
  base: './',
  plugins: [react()],
  resolve: { alias: namesIn('src') },
  // A service worker runs on https and on these host names only.
  server: { host: '127.0.0.1' },
  preview: { host: '127.0.0.1' },
  // Most of it is MSW.
  build: { outDir: 'dist', emptyOutDir: true, chunkSizeWarningLimit: 1_000 },
})
