import { ORDERS, plainShop } from './page.ts'

/** The twenty lines that README.md shows for comparison. */
plainShop(async order => {
  const slot = `key:ada:checkout:cart-${order.cart}`
  const key = localStorage.getItem(slot) ?? crypto.randomUUID()
  localStorage.setItem(slot, key)
  for (let attempt = 0; attempt < 8; attempt += 1) {
    try {
      const response = await fetch(ORDERS, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify(order),
        signal: AbortSignal.timeout(30_000),
      })
      if (response.status < 500 && ![408, 409, 425, 429].includes(response.status)) {
        const data: unknown = await response.json()
        localStorage.removeItem(slot)
        if (!response.ok) throw new Error(`HTTP ${response.status}`)
        return data
      }
    } catch {
      // No answer, or half of one. It may have happened.
    }
    await new Promise(resolve => setTimeout(resolve, Math.random() * 500 * 2 ** attempt))
  }
  throw new Error('Nobody knows.')
})
