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
const FIRST_ADDRESS = '12 Canal Street'
const FIRST_ORDER: Cart = { address: FIRST_ADDRESS, item: 'Blue teapot', amount: 42 }

/** The next cart of each shop, and what was last typed into it: both survive a reload, as in any shop. */
export interface Basket {
  readonly number: number
  readonly typed: Cart
  /** Counts how often something was typed by another hand than the person's. */
  readonly edition: number
}

const FIRST_BASKET: Basket = { number: FIRST_CART, typed: FIRST_ORDER, edition: 0 }

const baskets: { readonly [shop in ShopName]: Stored<Basket> } = {
  sendonce: stored('basket:sendonce', FIRST_BASKET),
  plain: stored('basket:plain', FIRST_BASKET),
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

/** Types an address into both forms; without one, the first one where there is none. */
export function retype(address?: string): void {
  for (const basket of Object.values(baskets)) {
    const now = basket.get()
    const { typed, edition } = now
    const next = address ?? (typed.address.trim() || FIRST_ADDRESS)
    if (next === typed.address) continue
    basket.set({ ...now, typed: { ...typed, address: next }, edition: edition + 1 })
  }
}

export function toCart(form: FormData): Cart {
  const text = (name: string) => String(form.get(name) ?? '')
  return { address: text('address'), item: text('item'), amount: Number(text('amount')) }
}

const AMOUNT = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

export function euros(amount: number): string {
  return `€ ${AMOUNT.format(amount)}`
}
