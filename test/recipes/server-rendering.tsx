'use client'

import { SendonceProvider, useIdempotentSubmit } from 'sendonce/react'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts' // A server may load it: it opens nothing there.

export function App({ cart }: { readonly cart: Cart }) {
  return (
    <SendonceProvider client={api}>
      <Checkout cart={cart} />
    </SendonceProvider>
  )
}

function Checkout({ cart }: { readonly cart: Cart }) {
  const order = useIdempotentSubmit<Cart, Order>({
    operation: `checkout:${cart.id}`,
    request: cart => ({ url: '/api/orders', json: cart }),
  })
  const { snapshot } = order
  return (
    <>
      <button type="button" {...order.submitProps} onClick={() => order.submit(cart)}>
        {snapshot.state === 'unknown' ? 'Send again' : 'Order'}
      </button>
      <p role="status">{order.message}</p>
    </>
  )
}
