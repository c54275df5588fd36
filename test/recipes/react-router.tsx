import type { ActionFunctionArgs, RouteObject } from 'react-router'
import { Form, redirect, useActionData, useNavigation, useParams } from 'react-router'
import { describe, isSendonceError } from 'sendonce'
import type { Order } from './api.ts'
import { api } from './api.ts'

async function action({ request, params }: ActionFunctionArgs) {
  const json = Object.fromEntries(await request.formData())
  try {
    // Without `request.signal`: the router aborts it when a person clicks a link.
    const { data } = await api.submitOrThrow<Order>(`checkout:${params.cart}`, {
      url: '/api/orders',
      json,
    })
    return data ? redirect(`/orders/${data.id}`) : 'Your order is placed.' // its answer was lost
  } catch (error) {
    if (isSendonceError(error)) return describe(error)
    throw error
  }
}

function Checkout() {
  const sentence = useActionData<string>()
  const { state } = useNavigation()
  return (
    <Form method="post">
      <input aria-label="Address" name="address" required />
      <button type="submit" aria-disabled={state !== 'idle'}>
        Order
      </button>
      <p role="status">{state === 'idle' ? sentence : 'Sending…'}</p>
    </Form>
  )
}

function Placed() {
  const { order } = useParams()
  return <p role="status">Order {order} is placed.</p>
}

export const routes: RouteObject[] = [
  { path: '/checkout/:cart', action, Component: Checkout },
  { path: '/orders/:order', Component: Placed },
]
