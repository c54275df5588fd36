import { useMutation } from '@tanstack/react-query'
import type { SendonceError, Succeeded } from 'sendonce'
import { describe } from 'sendonce'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'

export function Checkout({ cart }: { readonly cart: Cart }) {
  const order = useMutation<Succeeded<Order>, SendonceError, Cart>({
    mutationFn: cart =>
      api.submitOrThrow<Order>(`checkout:${cart.id}`, { url: '/api/orders', json: cart }),
    retry: false, // sendonce sends again, with the same key
    networkMode: 'always', // and waits for the network, with the key on disk
  })
  return (
    <>
      <button type="button" aria-disabled={order.isPending} onClick={() => order.mutate(cart)}>
        Order
      </button>
      <p role="status">
        {order.isSuccess &&
          (order.data.data ? `Order ${order.data.data.id} is placed.` : describe(order.data))}
        {order.isError && describe(order.error)}
      </p>
    </>
  )
}
