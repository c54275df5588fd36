import { initTRPC } from '@trpc/server'
import type { Cart, Order } from './api.ts'

const { router, procedure } = initTRPC.create()

const appRouter = router({
  placeOrder: procedure
    .input((input: unknown) => input as Cart)
    .mutation((): Order => ({ id: 'order-1' })),
})

export type AppRouter = typeof appRouter
