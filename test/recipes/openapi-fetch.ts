import createApiClient from 'openapi-fetch'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'
import type { paths } from './openapi-schema.ts'

const shop = createApiClient<paths>({ baseUrl: location.origin })

export async function placeOrder(cart: Cart): Promise<Order> {
  const { data, error } = await shop.POST('/api/orders', {
    body: cart,
    fetch: request => api.fetch(request, { operation: `checkout:${cart.id}` }),
  })
  if (error) throw new Error(error.detail) // refused
  return data
}
