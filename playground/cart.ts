import type { ShopName } from './journal.ts'
import type { Stored } from './stored.ts'
import { stored } from './stored.ts'

/** What a person fills in. */
export interface Cart {
  readonly address: string
  readonly item: string
  readonly amount: number
}

const FIRST_CART = 42
const FIRST_ORDER: Cart = { address: '12 Canal Street', item: 'Blue teapot', amount: 42 }

/** The next cart of each shop, and what was last typed into it: both survive a reload, as in any shop. */
export interface Basket {
  readonly number: number
  readonly typed: Cart
}

const baskets: { readonly [shop in ShopName]: Stored<Basket> } = {
  sendonce: stored('basket:sendonce', { number: FIRST_CART, typed: FIRST_ORDER }),
  plain: stored('basket:plain', { number: FIRST_CART, typed: FIRST_ORDER }),
}

export function basketOf(shop: ShopName): Stored<Basket> {
  return baskets[shop]
}

/** The operation: one cart is ordered once. */
export function operationOf(cart: number): string {
  return `checkout:cart-${cart}`
}

/** A cart that was ordered is empty: the next order is of the next one. */
export function emptyCart(shop: ShopName, ordered: number): void {
  const basket = baskets[shop].get()
  baskets[shop].set({ ...basket, number: Math.max(basket.number, ordered + 1) })
}

export function toCart(form: FormData): Cart {
  const text = (name: string) => String(form.get(name) ?? '')
  return { address: text('address'), item: text('item'), amount: Number(text('amount')) }
}

export function euros(amount: number): string {
  return `€ ${amount.toLocaleString('en', { maximumFractionDigits: 2 })}`
}
