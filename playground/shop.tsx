import type { ReactElement } from 'react'
import { useEffect } from 'react'
import type { Snapshot } from 'sendonce'
import type { IdempotentSubmit } from 'sendonce/react'
import { useCountdown, useIdempotentSubmit } from 'sendonce/react'
import type { Cart } from './cart.ts'
import { basketOf, emptyCart, euros, operationOf, toCart } from './cart.ts'
import type { Status } from './checkout-form.tsx'
import { CheckoutForm, OrderedAs } from './checkout-form.tsx'
import { mechanismChosen, mechanismOf } from './mechanisms.ts'
import type { Ordered } from './order.ts'
import { orderRequest, prepareCart } from './order.ts'
import { useStored } from './stored.ts'
import { useCart, useShown } from './use-cart.ts'
import { times } from './words.ts'

/** The shop with sendonce. `noticed`: operations of which a notice speaks. */
export function Shop({ noticed }: { readonly noticed: readonly string[] }): ReactElement {
  const basket = useStored(basketOf('sendonce'))
  const { cart, show, next } = useCart('sendonce')
  const mechanism = mechanismOf(useStored(mechanismChosen))
  useEffect(() => void prepareCart(mechanism, cart), [mechanism, cart])
  const order = useIdempotentSubmit<Cart, Ordered>({
    operation: operationOf(cart),
    fromForm: toCart,
    request: typed => orderRequest(mechanism, cart, typed),
  })
  const { snapshot, discard, formProps, submitProps } = order
  const { state } = snapshot
  const isStuck = state === 'unknown' && !snapshot.resumable
  useShown('sendonce', { cart, show, begun: state !== 'idle' })

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
        if (isStuck || state === 'succeeded') event.preventDefault()
        else formProps.onSubmit(event)
      }}
      button={{
        ...useLabel(snapshot, basket.typed.amount),
        busy: submitProps['aria-busy'],
        disabled: submitProps['aria-disabled'] || isStuck || state === 'succeeded',
      }}
      status={{ ...statusOf(order), isNoticed: noticed.includes(operationOf(cart)) }}
      aside={
        state === 'succeeded'
          ? { label: 'New order', run: next }
          : state === 'unknown' || state === 'paused'
            ? { label: 'Forget it', run: () => void discard() }
            : undefined
      }
    />
  )
}

/** The button says what pressing it means now. */
function useLabel(
  snapshot: Snapshot<unknown>,
  amount: number,
): { readonly label: string; readonly countdown?: string } {
  const seconds = useCountdown(snapshot)
  const { state } = snapshot
  switch (state) {
    case 'sending':
      return { label: snapshot.attempts > 1 ? 'Sending again…' : 'Sending…' }
    case 'waiting':
      if (snapshot.reason === 'offline') return { label: 'Offline, waiting' }
      if (snapshot.reason === 'other-tab') return { label: 'In the other tab' }
      return { label: 'Sending again', countdown: `in ${seconds ?? 1} s` }
    case 'unknown':
      return { label: snapshot.resumable ? 'Send it again' : 'Not safe to send' }
    case 'paused':
      return { label: 'Send it again' }
    case 'succeeded':
      return { label: 'Ordered' }
    default:
      return { label: `Order, ${euros(amount)}` }
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
        text: (
          <>
            <OrderedAs id={id} />{' '}
            {snapshot.from === 'recover' ? 'The shop was asked.' : timesSent(snapshot.attempts)}
          </>
        ),
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
