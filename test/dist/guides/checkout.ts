import type { Client } from 'sendonce'
import { bindForm } from 'sendonce/form'

/** The form of the shop. */
export function checkout(api: Client): HTMLFormElement {
  document.body.innerHTML = `
    <form action="/api/orders" method="post">
      <label>Item <input name="item" value="tea" required /></label>
      <button>Order</button>
      <p data-sendonce-status></p>
    </form>`
  const [form] = document.forms
  if (!form) throw new Error('There is no form.')
  bindForm(form, { client: api, operation: 'checkout:cart-42' })
  return form
}
