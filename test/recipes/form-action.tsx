import { useState } from 'react'
import { useFormStatus } from 'react-dom'
import { useIdempotentSubmit } from 'sendonce/react'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'

export function Checkout({ cart }: { readonly cart: Cart }) {
  const [address, setAddress] = useState('')
  const order = useIdempotentSubmit<object, Order>({
    client: api,
    operation: `checkout:${cart.id}`,
    fromForm: form => ({ ...cart, ...Object.fromEntries(form) }),
    request: json => ({ url: '/api/orders', json }),
  })
  return (
    <form action={order.action}>
      <input
        aria-label="Address"
        name="address"
        required
        value={address}
        onChange={event => setAddress(event.target.value)}
      />
      <OrderButton />
      <p role="status">{order.message}</p>
    </form>
  )
}

function OrderButton() {
  const { pending } = useFormStatus()
  return (
    <button type="submit" aria-disabled={pending}>
      {pending ? 'Ordering…' : 'Order'}
    </button>
  )
}
