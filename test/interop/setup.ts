import type { TestProject } from 'vitest/node'
import type { Servers } from './servers/servers.ts'
import { startServers } from './servers/servers.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    readonly interop: Servers
  }
}

/** Once per run, before the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { servers, stop } = await startServers()
  project.provide('interop', servers)
  return stop
}
