import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { OperationTypeNode } from 'graphql'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'

const uri = '/graphql'

export const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.MUTATION,
    new HttpLink({ uri, fetch: api.fetch }),
    new HttpLink({ uri }),
  ),
})

const PLACE_ORDER = gql`
  mutation PlaceOrder($item: String!, $amount: Int!) {
    placeOrder(item: $item, amount: $amount) { id }
  }
`

export async function placeOrder(cart: Cart): Promise<Order | undefined> {
  const { data } = await client.mutate<{ placeOrder: Order }>({
    mutation: PLACE_ORDER,
    variables: { item: cart.item, amount: cart.amount },
    context: { fetchOptions: { operation: `checkout:${cart.id}` } },
  })
  return data?.placeOrder
}
