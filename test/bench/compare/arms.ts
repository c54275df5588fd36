/** One row of the comparison. */
export interface Arm {
  readonly name: string
  /** The module of test/bench/peers that is its page. */
  readonly page: string
  /** What its page does differently from the page of the same module without it. */
  readonly option?: 'auto' | 'guard' | 'key'
  /** What the page takes from packages, as the lines of a module. Without it the arm ships what its page without the option does. */
  readonly imports?: readonly string[]
  /** It takes part where time is measured. The others send by the same code as the row before. */
  readonly isTimed?: true
}

export const SENDONCE: Arm = {
  name: 'sendonce',
  page: 'sendonce',
  imports: [`export { createClient } from 'sendonce'`, `export { bindForm } from 'sendonce/form'`],
  isTimed: true,
}
export const FETCH: Arm = { name: 'fetch', page: 'fetch', imports: [], isTimed: true }

export const ARMS: readonly Arm[] = [
  SENDONCE,
  { name: "sendonce, `resume: 'auto'`", page: 'sendonce', option: 'auto' },
  FETCH,
  { name: 'fetch, button disabled by hand', page: 'fetch', option: 'guard' },
  { name: 'fetch, key and retry by hand', page: 'by-hand', imports: [] },
  { name: 'ky', page: 'ky', imports: [`export { default } from 'ky'`], isTimed: true },
  { name: 'ky with retry', page: 'ky-retry', imports: [`export { default } from 'ky'`] },
  {
    name: 'axios-retry',
    page: 'axios-retry',
    imports: [
      `export { default as axios } from 'axios'`,
      `export { default as axiosRetry, exponentialDelay } from 'axios-retry'`,
    ],
    isTimed: true,
  },
  { name: 'axios-retry, key by hand', page: 'axios-retry', option: 'key' },
  {
    name: 'TanStack Query, persisted',
    page: 'tanstack-query',
    imports: [
      `export { createAsyncStoragePersister } from '@tanstack/query-async-storage-persister'`,
      `export { QueryClient, useMutation } from '@tanstack/react-query'`,
      `export { PersistQueryClientProvider } from '@tanstack/react-query-persist-client'`,
    ],
    isTimed: true,
  },
  { name: 'TanStack Query, persisted, key by hand', page: 'tanstack-query', option: 'key' },
  {
    name: 'TanStack offline-transactions',
    page: 'offline-transactions',
    imports: [
      `export { createCollection, localOnlyCollectionOptions, safeRandomUUID } from '@tanstack/db'`,
      `export { startOfflineExecutor } from '@tanstack/offline-transactions'`,
    ],
    isTimed: true,
  },
  {
    name: 'Workbox queue',
    page: 'workbox',
    imports: [`export { Queue } from 'workbox-background-sync'`],
    isTimed: true,
  },
  { name: 'Workbox queue, key by hand', page: 'workbox', option: 'key' },
]

/** The first part of its addresses. */
export function pathOf({ page, option }: Arm): string {
  return option ? `${page}-${option}` : page
}
