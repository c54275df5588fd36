import type { Order } from './contract.ts'
import { keyByHand, ORDERS, plainShop } from './page.ts'

/** https://developer.mozilla.org/en-US/docs/Web/API/Fetch_API/Using_Fetch */
async function send(order: Order): Promise<unknown> {
  const response = await fetch(ORDERS, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...keyByHand() },
    body: JSON.stringify(order),
  })
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return response.json()
}

plainShop(send)
