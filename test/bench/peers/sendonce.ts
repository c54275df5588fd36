import { createClient } from 'sendonce'
import type { BoundForm } from 'sendonce/form'
import { bindForm } from 'sendonce/form'
import { makeForm, ORDERS, openShop, orderOf, query, show } from './page.ts'

const client = createClient({ scope: 'ada' })
const form = makeForm()
let bound: BoundForm | undefined

openShop({
  send: order => client.submitOrThrow(`checkout:cart-${order.cart}`, { url: ORDERS, json: order }),
  begin(cart) {
    bound?.stop()
    bound = bindForm(form, {
      client,
      operation: `checkout:cart-${cart}`,
      resume: query.has('auto') ? 'auto' : 'ask',
      request: data => ({ url: ORDERS, json: orderOf(data) }),
      onSuccess: () => show('success'),
      onUnknown: () => show('unknown'),
      onRefused: () => show('error'),
      onPaused: () => show('error'),
      onError: () => show('error'),
    })
  },
  idle: () => client.idle(),
  asks: () => bound?.snapshot.state === 'unknown',
})
