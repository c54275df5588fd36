'use client'

import type { ReactElement, ReactNode } from 'react'
import { createContext, useInsertionEffect, useMemo, useState } from 'react'
import type { ClientSource } from '../binding/client-source.ts'
import { sourceOf } from '../binding/client-source.ts'
import type { Client } from '../client.ts'
import { createClient } from '../client.ts'
import type { ClientOptions } from '../client-options.ts'

export const SourceContext: React.Context<ClientSource | undefined> = createContext<
  ClientSource | undefined
>(undefined)

/** The client for the hooks in `children`, or what to make one of. */
export type SendonceProviderProps = { readonly children?: ReactNode } & (
  | {
      /** Yours, and yours to close. */
      readonly client: Client
      readonly options?: never
    }
  | {
      /** Read once. For a client of other options (somebody else signs in) give the provider another `key`. */
      readonly options: ClientOptions
      readonly client?: never
    }
)

/**
 * Gives the hooks below it their client. One made of `options` is made when the first hook has mounted, so never on a
 * server, and closed when the provider unmounts: nothing more is sent, records stay.
 */
export function SendonceProvider({
  client,
  options,
  children,
}: SendonceProviderProps): ReactElement {
  const [made] = useState(() => options && clientMadeOf(options))
  const given = useMemo(() => client && sourceOf(client), [client])
  // StrictMode and a hidden Activity undo all effects but this kind, and neither must end what is being sent.
  useInsertionEffect(() => made?.close, [made])
  return <SourceContext.Provider value={given ?? made}>{children}</SourceContext.Provider>
}

function clientMadeOf(options: ClientOptions): ClientSource & { close(): void } {
  let client: Client | undefined
  return {
    get client() {
      return client
    },
    open() {
      client ??= createClient(options)
      return client
    },
    close: () => client?.close(),
  }
}
