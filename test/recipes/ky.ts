import ky from 'ky'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'

const shop = ky.create({
  fetch: api.fetch,
  retry: 0, // sendonce sends again, with the same key
  timeout: false, // and limits each attempt, and the whole
})

export function placeOrder(cart: Cart): Promise<Order> {
  return shop.post<Order>('/api/orders', { json: cart }).json()
}
