import { SendonceProvider, useIdempotentSubmit } from 'sendonce/react'

interface Cart {
  readonly item: string
  readonly amount: number
}

interface Order {
  readonly id: string
}

const toCart = (form: FormData): Cart => ({
  item: String(form.get('item')),
  amount: Number(form.get('amount')),
})

const toOrder = async (response: Response): Promise<Order> => {
  const { id } = (await response.json()) as { id: unknown }
  if (typeof id !== 'string') throw new Error('An order has an id.')
  return { id }
}

export function Checkout({ cartId }: { readonly cartId: string }) {
  const order = useIdempotentSubmit({
    operation: `checkout:${cartId}`,
    fromForm: toCart,
    request: (cart: Cart) => ({ url: '/api/orders', json: cart, parse: toOrder }),
    // `data` is what `parse` makes of the answer, if that came whole.
    onSuccess: ({ data }) => location.assign(data ? `/orders/${data.id}` : '/orders'),
    onError: error => console.warn(error.code satisfies string),
  })
  const { snapshot } = order
  return (
    <form {...order.formProps}>
      <input name="item" />
      <input name="amount" type="number" />
      <button type="submit" {...order.submitProps}>
        Order
      </button>
      {snapshot.state === 'unknown' && snapshot.resumable && (
        <button type="button" onClick={order.resume}>
          Send it again
        </button>
      )}
      <p role="status">{order.message}</p>
    </form>
  )
}

/** With an action, for fields that React controls. */
export function Subscribe() {
  const { action, submit, isSubmitting } = useIdempotentSubmit({
    operation: 'subscribe',
    fromForm: form => String(form.get('email')),
    request: (email: string) => ({ url: '/api/subscriptions', json: { email } }),
  })
  return (
    <form action={action}>
      <button type="button" disabled={isSubmitting} onClick={() => submit('ada@example.com')}>
        Subscribe Ada
      </button>
    </form>
  )
}

export function App({ user }: { readonly user: string }) {
  return (
    <SendonceProvider key={user} options={{ scope: user }}>
      <Checkout cartId="cart-42" />
      <Subscribe />
    </SendonceProvider>
  )
}
