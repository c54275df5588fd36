import type { ReactElement } from 'react'
import { useCallback, useRef, useState } from 'react'
import type { SendonceEvent } from 'sendonce'
import type { Cart } from './cart.ts'
import { basketOf, emptyCart, euros, operationOf, toCart } from './cart.ts'
import type { Status } from './checkout-form.tsx'
import { CheckoutForm, OrderedAs } from './checkout-form.tsx'
import { noteEvent } from './journal.ts'
import { PLAIN_ORDERS_PATH } from './mock/server.ts'
import { useStored } from './stored.ts'
import { useCart, useShown } from './use-cart.ts'

type State = 'idle' | 'sending' | 'succeeded' | 'failed'

const STATUS: { readonly [state in Exclude<State, 'succeeded'>]: Status } = {
  idle: { tone: 'quiet', text: 'Nothing sent yet.' },
  sending: { tone: 'quiet', text: 'On its way to the shop.' },
  failed: { tone: 'bad', text: 'Something went wrong. Please try again.' },
}

/** The shop that does what most forms do: one fetch, a button that waits for it, and a catch. */
export function PlainShop(): ReactElement {
  const basket = useStored(basketOf('plain'))
  const { cart, show } = useCart('plain')
  const [state, setState] = useState<State>('idle')
  const [id, setId] = useState('')
  /** An answer for a cart that is not shown any more changes nothing. */
  const shown = useRef(cart)
  const showCart = useCallback(
    (cart: number) => {
      shown.current = cart
      setState('idle')
      show(cart)
    },
    [show],
  )
  useShown('plain', { cart, show: showCart, begun: state !== 'idle' })

  async function order(typed: Cart): Promise<void> {
    setState('sending')
    try {
      const { id } = await postOrder(operationOf(cart), typed)
      emptyCart('plain', cart)
      if (shown.current !== cart) return
      setId(id)
      setState('succeeded')
    } catch {
      if (shown.current === cart) setState('failed')
    }
  }

  return (
    <CheckoutForm
      shop="plain"
      title="With plain fetch"
      code="fetch(…).catch(…)"
      cart={cart}
      onSubmit={event => {
        event.preventDefault()
        if (state !== 'sending' && state !== 'succeeded') {
          void order(toCart(new FormData(event.currentTarget)))
        }
      }}
      button={{
        label:
          state === 'sending'
            ? 'Sending…'
            : state === 'succeeded'
              ? 'Ordered'
              : `Order, ${euros(basket.typed.amount)}`,
        busy: state === 'sending',
        disabled: state === 'sending' || state === 'succeeded',
      }}
      status={state === 'succeeded' ? { tone: 'good', text: <OrderedAs id={id} /> } : STATUS[state]}
      aside={
        state === 'succeeded'
          ? {
              label: 'New order',
              run: () => showCart(basketOf('plain').get().number),
            }
          : undefined
      }
    />
  )
}

/** One fetch; the notes are for the picture of the wire. */
async function postOrder(operation: string, typed: Cart): Promise<{ readonly id: string }> {
  // Nothing else tells the attempts of plain fetch apart.
  const attempt = Date.now()
  const base = () => ({ at: Date.now(), operation, keyTail: undefined, attempt })
  const note = (event: SendonceEvent) => noteEvent('plain', event)

  note({ ...base(), type: 'sent' })
  const answer = await fetch(PLAIN_ORDERS_PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-operation': operation },
    body: JSON.stringify(typed),
  })
    .then(async response => {
      const { ok, status } = response
      return { ok, status, data: ok ? await response.json() : undefined }
    })
    .catch((error: unknown) => {
      note({ ...base(), type: 'unanswered', because: 'network' })
      throw error
    })
  const { ok, status, data } = answer
  note({ ...base(), type: 'answered', status, verdict: ok ? 'success' : 'failure' })
  note({ ...base(), type: ok ? 'succeeded' : 'refused' })
  if (!ok) throw new Error(`The shop answered ${status}.`)
  return data
}
