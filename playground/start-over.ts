import { api } from './api.ts'
import { basketOf, emptyCart } from './cart.ts'
import { current } from './case.ts'
import { closeJournal } from './journal.ts'
import { server } from './mock/server.ts'
import { stop } from './play.ts'
import { forgetStored, stored, storedTexts } from './stored.ts'

/** When it was last begun anew: a tab that hears of it does the same. */
const epoch = stored('epoch', 0)

export function followStartOver(): void {
  epoch.subscribe(() => {
    closeJournal()
    location.reload()
  })
}

/** An empty server, an empty wire, fresh carts. The numbers go on: a cart that was ordered once stays that cart. */
export async function startOver(): Promise<void> {
  await api.forget()
  await server.reset()
  for (const shop of ['sendonce', 'plain'] as const) emptyCart(shop, basketOf(shop).get().number)
  closeJournal()
  forgetStored(storedTexts('journal:').keys())
  forgetStored(['fault', 'mechanism'])
  current.set('')
  stop()
  epoch.set(Date.now())
}
