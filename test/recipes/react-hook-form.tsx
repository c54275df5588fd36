import { useForm } from 'react-hook-form'
import { useIdempotentSubmit } from 'sendonce/react'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'

interface Fields {
  readonly address: string
}

export function Checkout({ cart }: { readonly cart: Cart }) {
  const { register, handleSubmit, setError, formState } = useForm<Fields>()
  const order = useIdempotentSubmit<Fields, Order>({
    client: api,
    operation: `checkout:${cart.id}`,
    request: fields => ({ url: '/api/orders', json: { ...cart, ...fields } }),
    onRefused: ({ data }) => setError('address', { message: (data as { detail: string }).detail }),
  })
  return (
    <form onSubmit={handleSubmit(order.submit)}>
      <input aria-label="Address" {...register('address', { required: 'Where to?' })} />
      <p>{formState.errors.address?.message}</p>
      <button type="submit" {...order.submitProps}>
        Order
      </button>
      <p role="status">{order.message}</p>
    </form>
  )
}
