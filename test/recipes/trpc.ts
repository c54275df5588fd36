import { createTRPCClient, httpLink } from '@trpc/client'
import type { Cart, Order } from './api.ts'
import { api } from './api.ts'
import type { AppRouter } from './trpc-router.ts'

const trpc = createTRPCClient<AppRouter>({
  links: [httpLink({ url: '/trpc', fetch: api.fetch })],
})

export function placeOrder(cart: Cart): Promise<Order> {
  return trpc.placeOrder.mutate(cart)
}
