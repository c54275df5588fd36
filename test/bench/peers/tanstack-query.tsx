import { createAsyncStoragePersister } from '@tanstack/query-async-storage-persister'
import { QueryClient, useMutation } from '@tanstack/react-query'
import { PersistQueryClientProvider } from '@tanstack/react-query-persist-client'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import type { Order } from './contract.ts'
import { keyByHand, ORDERS, openShop, orderOf, show } from './page.ts'

/** Stored with the mutation, and so the same after a reload: the place for a key that is made by hand. */
interface Variables {
  readonly order: Order
  readonly headers: Readonly<Record<string, string>>
}

/** https://tanstack.com/query/v5/docs/framework/react/guides/mutations#persist-mutations */
const persister = createAsyncStoragePersister({ storage: window.localStorage })
const queryClient = new QueryClient({
  defaultOptions: { queries: { gcTime: 1000 * 60 * 60 * 24 } },
})
queryClient.setMutationDefaults(['order'], {
  async mutationFn({ order, headers }: Variables) {
    const response = await fetch(ORDERS, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(order),
    })
    if (!response.ok) throw new Error(`HTTP ${response.status}`)
    return response.json()
  },
  retry: 3,
})

function Checkout() {
  const order = useMutation<unknown, Error, Variables>({
    mutationKey: ['order'],
    onSuccess: () => show('success'),
    onError: () => show('error'),
  })
  const { mutateAsync } = order
  useEffect(() => {
    openShop({ send: order => mutateAsync({ order, headers: keyByHand() }) })
  }, [mutateAsync])
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        order.mutate({ order: orderOf(form), headers: keyByHand() })
      }}
    >
      <input name="cart" type="hidden" />
      <input name="item" aria-label="Item" required />
      <input name="amount" aria-label="Amount" type="number" required />
      <input name="address" aria-label="Address" required />
      <input name="note" aria-label="Note" />
      <button type="submit" disabled={order.isPending}>
        Order
      </button>
    </form>
  )
}

createRoot(document.querySelector('main') as HTMLElement).render(
  <PersistQueryClientProvider
    client={queryClient}
    persistOptions={{ persister }}
    onSuccess={() => queryClient.resumePausedMutations()}
  >
    <Checkout />
  </PersistQueryClientProvider>,
)
