import { api } from './api.ts'
import { basketOf, emptyCart } from './cart.ts'
import { server } from './mock/server.ts'
import { forgetStored, storedTexts } from './stored.ts'

/** An empty server, an empty wire, fresh carts. The numbers go on: a cart that was ordered once stays that cart. */
export async function startOver(): Promise<void> {
  await api.forget()
  await server.reset()
  for (const shop of ['sendonce', 'plain'] as const) emptyCart(shop, basketOf(shop).get().number)
  forgetStored(storedTexts('journal:').keys())
  forgetStored(['fault'])
  location.reload()
}
