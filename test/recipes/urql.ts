import { Client, cacheExchange, fetchExchange, gql } from '@urql/core'
import type { FetchInit } from 'sendonce'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'

export const client = new Client({
  url: '/graphql',
  exchanges: [cacheExchange, fetchExchange],
  fetch: api.fetch,
  preferGetMethod: 'force', // for queries: what goes by GET passes through
})

const PLACE_ORDER = gql<{ placeOrder: Order }>`
  mutation PlaceOrder($item: String!, $amount: Int!) {
    placeOrder(item: $item, amount: $amount) { id }
  }
`

export async function placeOrder({ id, item, amount }: Cart): Promise<Order> {
  const fetchOptions: FetchInit = { operation: `checkout:${id}` }
  const { data, error } = await client.mutation(PLACE_ORDER, { item, amount }, { fetchOptions })
  if (!data) throw error?.networkError ?? error // what fetch threw, or what was refused
  return data.placeOrder
}
