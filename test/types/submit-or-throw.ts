import type { Client, Paused, Refused, Succeeded, Unknown } from 'sendonce'
import { isSendonceError } from 'sendonce'

interface Order {
  readonly id: string
}

/** As TanStack Query takes it. */
interface Mutation<Variables, Data> {
  readonly mutationFn: (variables: Variables) => Promise<Data>
  readonly retry: false
  readonly onSuccess: (data: Data) => void
  readonly onError: (error: Error) => void
}

export function orderMutation(api: Client): Mutation<{ cart: string }, Succeeded<Order>> {
  return {
    mutationFn: variables =>
      api.submitOrThrow<Order>(`checkout:${variables.cart}`, { url: '/orders', json: variables }),
    // sendonce does it, with the same key.
    retry: false,
    onSuccess: ({ data }) => console.log(data?.id),
    onError(error) {
      if (isSendonceError(error, 'unknown-outcome')) return console.warn('Not known yet.')
      if (isSendonceError(error, 'refused')) return console.warn('Not accepted.')
      console.error(error)
    },
  }
}

/** What is known, beside the code. */
export function outcomeOf(error: unknown): Refused | Paused | Unknown | undefined {
  return isSendonceError(error) && 'outcome' in error
    ? (error.outcome as Refused | Paused | Unknown)
    : undefined
}
