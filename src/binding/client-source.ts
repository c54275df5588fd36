import type { Client } from '../client.ts'

/** Where a binding has its client from. */
export interface ClientSource {
  /** Undefined until it has been opened. */
  readonly client: Client | undefined
  /** Never called while rendering: it may make the client, and a render may come to nothing. */
  open(): Client
}

export function sourceOf(client: Client): ClientSource {
  return { client, open: () => client }
}
