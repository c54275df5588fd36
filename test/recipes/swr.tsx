import type { SendonceError, Succeeded } from 'sendonce'
import { describe } from 'sendonce'
import useSWRMutation from 'swr/mutation'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'

const submit = (url: string, { arg: cart }: { readonly arg: Cart }) =>
  api.submitOrThrow<Order>(`checkout:${cart.id}`, { url, json: cart })

export function Checkout({ cart }: { readonly cart: Cart }) {
  const order = useSWRMutation<Succeeded<Order>, SendonceError, string, Cart>(
    '/api/orders',
    submit,
    { throwOnError: false },
  )
  return (
    <>
      <button type="button" aria-disabled={order.isMutating} onClick={() => order.trigger(cart)}>
        Order
      </button>
      <p role="status">
        {order.data &&
          (order.data.data ? `Order ${order.data.data.id} is placed.` : describe(order.data))}
        {order.error && describe(order.error)}
      </p>
    </>
  )
}
