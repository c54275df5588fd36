import { api } from './api.ts'
import { basketOf, emptyCart, operationOf } from './cart.ts'
import { mechanismOf } from './mechanisms.ts'
import { orderRequest } from './order.ts'

const CARTS = 200
/** So many people press at the same time; who is done makes room for the next. */
const AT_ONCE = 20

/** Two hundred carts, unless somebody stops it. */
export async function orderCrowd(goesOn: () => boolean): Promise<void> {
  const { number, typed } = basketOf('sendonce').get()
  for (const shop of ['sendonce', 'plain'] as const) emptyCart(shop, number + CARTS)
  const mechanism = mechanismOf('keys')
  let cart = number
  const person = async () => {
    while (cart < number + CARTS && goesOn()) {
      cart += 1
      await api.submit(operationOf(cart), orderRequest(mechanism, cart, typed))
    }
  }
  await Promise.allSettled(Array.from({ length: AT_ONCE }, person))
}
