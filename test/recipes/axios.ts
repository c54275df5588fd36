import axios from 'axios'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'

const shop = axios.create({ adapter: 'fetch', env: { fetch: api.fetch } })

export async function placeOrder(cart: Cart): Promise<Order> {
  const { data } = await shop.post<Order>('/api/orders', cart, {
    fetchOptions: { operation: `checkout:${cart.id}` },
  })
  return data
}
