import type { Order, Shop, Shown } from './contract.ts'

/** The orders of this arm, wherever the page is. */
export const ORDERS = new URL('orders', location.href).href

/** The same form for all. React makes its own of the same fields. */
const FORM = `
<form>
  <input name="cart" type="hidden" />
  <label>Item <input name="item" required /></label>
  <label>Amount <input name="amount" type="number" required /></label>
  <label>Address <input name="address" required /></label>
  <label>Note <input name="note" /></label>
  <button>Order</button>
</form>`

/** Of the arm, or the number of a cart. */
export const query: URLSearchParams = new URLSearchParams(location.search)

/** A new key for each press of the button; none without the option `key`. */
export function keyByHand(): Readonly<Record<string, string>> {
  return query.has('key') ? { 'Idempotency-Key': crypto.randomUUID() } : {}
}

export function show(shown: Shown): void {
  document.body.dataset.shown = shown
}

export function orderOf(form: FormData): Order {
  const {
    item = '',
    address = '',
    note = '',
    ...rest
  } = Object.fromEntries(form) as Record<string, string>
  return { cart: Number(rest.cart), item, amount: Number(rest.amount), address, note }
}

/** A form that says what the promise of `send` says, and no more. With the option `guard` its button is disabled meanwhile. */
export function plainShop(send: Shop['send']): void {
  const form = makeForm()
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const button = event.submitter as HTMLButtonElement
    button.disabled = query.has('guard')
    try {
      await send(orderOf(new FormData(form)))
      show('success')
    } catch {
      show('error')
    } finally {
      button.disabled = false
    }
  })
  openShop({ send })
}

export function makeForm(): HTMLFormElement {
  document.querySelector('main')?.insertAdjacentHTML('beforeend', FORM)
  return document.querySelector('form') as HTMLFormElement
}

export function openShop({ send, begin, idle, asks }: Partial<Shop> & Pick<Shop, 'send'>): void {
  const form = () => document.querySelector('form') as HTMLFormElement
  const fill = (name: string, value: string) => {
    const field = form().elements.namedItem(name) as HTMLInputElement
    field.value = value
  }
  const shop: Shop = {
    send,
    begin(cart) {
      show('idle')
      fill('cart', String(cart))
      begin?.(cart)
    },
    idle: async () => idle?.(),
    asks: () => asks?.() ?? false,
  }
  window.shown = () => document.body.dataset.shown as Shown
  window.fillIn = cart => {
    const { item, amount, address, note } = orderFor(cart)
    for (const [name, value] of Object.entries({ item, amount, address, note }))
      fill(name, String(value))
  }
  window.person = async (cart, mostPresses) => {
    shop.begin(cart)
    window.fillIn(cart)
    let presses = 0
    do {
      const button = form().querySelector('button') as HTMLButtonElement
      await until(() => !button.disabled)
      button.click()
      presses += 1
      await until(() => window.shown() !== 'pending')
    } while (window.shown() !== 'success' && presses < mostPresses)
    return window.shown()
  }
  // Before any listener of the page: from the press on it is pending, whatever the page says of it and when.
  addEventListener('submit', () => show('pending'), true)
  shop.begin(Number(query.get('cart') ?? 0))
  window.shop = shop
}

export function orderFor(cart: number): Order {
  return { cart, item: 'book', amount: 42, address: `Main Street ${cart}`, note: 'At the door.' }
}

function until(isSo: () => boolean): Promise<void> {
  return new Promise(resolve => {
    const look = () => {
      if (!isSo()) return
      observer.disconnect()
      resolve()
    }
    const observer = new MutationObserver(look)
    observer.observe(document, { attributes: true, subtree: true, childList: true })
    look()
  })
}
