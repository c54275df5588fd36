import type { ReactElement } from 'react'
import { useEffect, useState } from 'react'
import type { Snapshot } from 'sendonce'
import type { IdempotentSubmit } from 'sendonce/react'
import { useIdempotentSubmit } from 'sendonce/react'
import type { Cart } from './cart.ts'
import { basketOf, emptyCart, euros, operationOf, toCart } from './cart.ts'
import type { Status } from './checkout-form.tsx'
import { CheckoutForm } from './checkout-form.tsx'
import { secondsUntil, useNow } from './clock.ts'
import { ORDERS_PATH } from './mock/server.ts'
import { useStored } from './stored.ts'
import { times } from './words.ts'

interface Ordered {
  readonly id: string
}

/** The shop with sendonce. */
export function Shop(): ReactElement {
  const basket = useStored(basketOf('sendonce'))
  const [cart, setCart] = useState(basket.number)
  const operation = operationOf(cart)
  const order = useIdempotentSubmit<Cart, Ordered>({
    operation,
    fromForm: toCart,
    request: typed => ({
      url: ORDERS_PATH,
      json: typed,
      // Not for the shop, which has the key: so that the ledger can say which cart it was.
      headers: { 'x-operation': operation },
    }),
  })
  const { snapshot, discard, formProps, submitProps } = order
  const { state } = snapshot

  // However it was learnt, by a click, the notice or another tab: what was ordered is no longer in the cart.
  useEffect(() => {
    if (state === 'succeeded') emptyCart('sendonce', cart)
  }, [state, cart])

  return (
    <CheckoutForm
      shop="sendonce"
      title="With sendonce"
      code="useIdempotentSubmit(…)"
      cart={cart}
      onSubmit={event => {
        if (state === 'succeeded') event.preventDefault()
        else formProps.onSubmit(event)
      }}
      button={{
        label: useLabel(snapshot, basket.typed.amount),
        busy: submitProps['aria-busy'],
        disabled: submitProps['aria-disabled'] || state === 'succeeded',
      }}
      status={statusOf(order)}
      aside={
        state === 'succeeded'
          ? { label: 'New order', run: () => setCart(basketOf('sendonce').get().number) }
          : state === 'unknown' || state === 'paused'
            ? { label: 'Forget it', run: () => void discard() }
            : undefined
      }
    />
  )
}

/** The button says what pressing it means now. */
function useLabel(snapshot: Snapshot<unknown>, amount: number): string {
  const { state } = snapshot
  const counting = state === 'waiting' && snapshot.reason !== 'offline'
  const now = useNow(counting)
  switch (state) {
    case 'sending':
      return snapshot.attempts > 1 ? 'Sending again…' : 'Sending…'
    case 'waiting':
      if (snapshot.reason === 'offline') return 'Waiting for the connection'
      if (snapshot.reason === 'other-tab') return 'Waiting for the other tab'
      return `Sending again in ${secondsUntil(snapshot.nextAttemptAt, now)} s`
    case 'unknown':
    case 'paused':
      return 'Send it again'
    case 'succeeded':
      return 'Ordered'
    default:
      return `Order, ${euros(amount)}`
  }
}

function statusOf({ snapshot, error, message }: IdempotentSubmit<Cart, Ordered>): Status {
  if (error) {
    const changed = error.code === 'payload-changed'
    return {
      tone: 'wait',
      text: changed
        ? 'This cart is on its way with other details. Wait for its outcome, or forget it, before you change it.'
        : error.code === 'in-flight'
          ? 'It is on its way just now. Wait for its outcome.'
          : `Nothing was sent. ${message}`,
    }
  }
  switch (snapshot.state) {
    case 'idle':
      return { tone: 'quiet', text: 'Nothing sent yet.' }
    case 'succeeded': {
      const id = snapshot.data?.id
      return {
        tone: 'good',
        text: `${id ? `It is ordered, as ${id}.` : 'It is ordered.'} ${timesSent(snapshot.attempts)}`,
      }
    }
    case 'refused': {
      const { detail = '' } = (snapshot.data ?? {}) as { readonly detail?: string }
      return { tone: 'bad', text: `The shop did not accept this. ${detail}` }
    }
    case 'sending':
      if (!snapshot.here) return { tone: 'wait', text: 'Another tab is sending this order.' }
      return snapshot.attempts > 1
        ? { tone: 'wait', text: 'Asking again, with the same key.' }
        : { tone: 'quiet', text: 'On its way to the shop.' }
    default:
      return { tone: 'wait', text: message }
  }
}

function timesSent(attempts: number): string {
  return attempts > 1 ? `Sent ${times(attempts)}, ordered once.` : ''
}
