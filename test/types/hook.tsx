import { startTransition } from 'react'
import type { Client, Outcome, Refused, SendonceError, Snapshot, Succeeded } from 'sendonce'
import { describe } from 'sendonce'
import { SendonceProvider, useCountdown, useIdempotentSubmit } from 'sendonce/react'
import { expectTypeOf } from 'vitest'

// The types of the hook. Compiled by tsc, never run.

declare const client: Client
declare const toOrder: (response: Response) => Promise<Order>
declare const toCart: (form: FormData) => Cart

interface Cart {
  readonly item: string
}

interface Order {
  readonly id: number
}

export function Inferred() {
  const order = useIdempotentSubmit({
    operation: 'checkout',
    fromForm: toCart,
    request: (cart: Cart) => ({ url: 'orders', json: cart, parse: toOrder }),
    onSuccess: outcome => expectTypeOf(outcome).toEqualTypeOf<Succeeded<Order>>(),
    onRefused: outcome => expectTypeOf(outcome).toEqualTypeOf<Refused>(),
    onError: error => expectTypeOf(error).toEqualTypeOf<SendonceError>(),
  })
  expectTypeOf(order.snapshot).toEqualTypeOf<Snapshot<Order>>()
  expectTypeOf(order.submit).parameters.toEqualTypeOf<[Cart]>()
  expectTypeOf(order.submit).returns.resolves.toEqualTypeOf<Outcome<Order> | undefined>()
  expectTypeOf(order.error).toEqualTypeOf<SendonceError | null>()
  expectTypeOf(order.discard).returns.resolves.toEqualTypeOf<void>()
  expectTypeOf(describe).toBeCallableWith(order.snapshot)

  // @ts-expect-error: a cart has an item
  void order.submit({ title: 'tea' })
  // @ts-expect-error: what is shown is not to be changed
  order.error = null
  expectTypeOf(order.recover).returns.resolves.toEqualTypeOf<Outcome<Order> | undefined>()
  expectTypeOf(useCountdown(order.snapshot)).toEqualTypeOf<number | undefined>()

  return (
    <>
      <form {...order.formProps}>
        <button type="submit" {...order.submitProps}>
          Order
        </button>
      </form>
      <form action={order.action}>
        <button type="submit" formAction={order.action}>
          Order
        </button>
      </form>
      <button
        type="button"
        onClick={() => startTransition(async () => void (await order.submit({ item: 'tea' })))}
      >
        Order
      </button>
      <button type="button" onClick={order.reset}>
        Again
      </button>
      {order.snapshot.state === 'succeeded' && order.snapshot.data?.id.toFixed()}
    </>
  )
}

export function Explicit() {
  const order = useIdempotentSubmit<Cart, Order>({
    client,
    operation: 'checkout',
    resume: 'auto',
    prefetch: true,
    sentences: { succeeded: 'Erledigt.', 'error:storage': 'Kein Platz.' },
    request: cart => ({ url: 'orders', json: cart }),
  })
  expectTypeOf(order.snapshot).toEqualTypeOf<Snapshot<Order>>()

  useIdempotentSubmit<Cart, Order>({
    operation: 'checkout',
    request: cart => ({ url: 'orders', json: cart }),
    // @ts-expect-error: no such state
    sentences: { failed: 'Failed.' },
  })

  // @ts-expect-error: an operation has a name
  useIdempotentSubmit<Cart, Order>({ request: cart => ({ url: 'orders', json: cart }) })

  useIdempotentSubmit({
    operation: 'checkout',
    // @ts-expect-error: one body, not two
    request: (form: FormData) => ({ url: 'orders', form, json: {} }),
  })
  return null
}

export function Untyped() {
  const order = useIdempotentSubmit({
    operation: 'like',
    request: (post: number) => ({ url: `posts/${post}/like` }),
  })
  expectTypeOf(order.snapshot).toEqualTypeOf<Snapshot<unknown>>()
  return null
}

export const providers = [
  <SendonceProvider key="1" client={client} />,
  <SendonceProvider key="2" options={{ scope: 'ada' }}>
    text
  </SendonceProvider>,
  // @ts-expect-error: one of the two
  <SendonceProvider key="3" />,
  // @ts-expect-error: not both
  <SendonceProvider key="4" client={client} options={{ scope: 'ada' }} />,
  // @ts-expect-error: a client knows whose operations they are
  <SendonceProvider key="5" options={{}} />,
]
