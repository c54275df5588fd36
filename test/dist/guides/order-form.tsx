import type { Client } from 'sendonce'
import { SendonceProvider, useIdempotentSubmit } from 'sendonce/react'

export function Shop({ api }: { api: Client }) {
  return (
    <SendonceProvider client={api}>
      <OrderForm />
    </SendonceProvider>
  )
}

function OrderForm() {
  const order = useIdempotentSubmit({
    operation: 'checkout:cart-42',
    fromForm: form => ({ item: form.get('item') }),
    request: json => ({ url: `${location.origin}/api/orders`, json }),
  })
  return (
    <form {...order.formProps}>
      <input name="item" defaultValue="tea" />
      <button {...order.submitProps}>Order</button>
      <p role="status">{order.message}</p>
    </form>
  )
}
