import type { Cart } from '../api.ts'

export const cart: Cart = { id: 'cart-42', item: 'tea', amount: 2 }
