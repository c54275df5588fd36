import { createClient, describe, idempotencyKey, isSendonceError } from 'sendonce'

interface Order {
  readonly id: string
}

const api = createClient({ scope: () => sessionStorage.getItem('user'), profile: idempotencyKey() })

/** One case for each ending: without one of them the function would have no value to return. */
export async function order(cart: { readonly id: string }): Promise<string> {
  const outcome = await api.submit<Order>(`checkout:${cart.id}`, { url: '/api/orders', json: cart })
  switch (outcome.state) {
    case 'succeeded':
      // Undefined where there was no answer to read: it happened all the same.
      return outcome.data ? outcome.data.id : describe(outcome)
    case 'refused':
      return `${outcome.response.status}: ${JSON.stringify(outcome.data)}`
    case 'paused':
      return outcome.reason === 'unauthorized' ? 'Please sign in.' : describe(outcome)
    case 'unknown':
      return describe(outcome, { unknown: 'Noch ist nicht bekannt, ob das geklappt hat.' })
  }
}

/** What rejects was not sent. */
export async function orderOrSayWhy(cart: { readonly id: string }): Promise<string> {
  try {
    return await order(cart)
  } catch (error) {
    if (isSendonceError(error, 'payload-changed')) {
      error.code satisfies 'payload-changed'
      return 'The cart has changed since you ordered.'
    }
    if (isSendonceError(error)) return error.message
    throw error
  }
}
