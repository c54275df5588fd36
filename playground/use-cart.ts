import { useEffect, useState } from 'react'
import { basketOf, emptyCart } from './cart.ts'
import type { ShopName } from './journal.ts'

interface Shown {
  readonly cart: number
  /** It was ordered, or somebody tried. */
  readonly begun: boolean
  readonly show: (cart: number) => void
}

const shown = new Map<ShopName, Shown>()

/** The cart that a shop shows: the ordered one until somebody wants the next. */
export function useCart(shop: ShopName): {
  readonly cart: number
  readonly next: () => void
  readonly show: (cart: number) => void
} {
  const [cart, show] = useState(basketOf(shop).get().number)
  return { cart, show, next: () => show(basketOf(shop).get().number) }
}

/** Says what a shop shows, so that a case can begin with a cart that nothing was done with. */
export function useShown(shop: ShopName, { cart, begun, show }: Shown): void {
  useEffect(() => {
    shown.set(shop, { cart, begun, show })
    return () => void shown.delete(shop)
  }, [shop, cart, begun, show])
}

/** The same fresh cart in both shops. */
export function freshCarts(): void {
  const carts = [...shown.values()].map(({ cart, begun }) => (begun ? cart + 1 : cart))
  const next = Math.max(...carts)
  for (const [shop, { show }] of shown) {
    emptyCart(shop, next - 1)
    show(next)
  }
}
