import type { SubmitRequest } from 'sendonce'
import type { Cart } from './cart.ts'
import { operationOf } from './cart.ts'
import type { Mechanism } from './mechanisms.ts'
import { server } from './mock/server.ts'

export interface Ordered {
  readonly id: string
}

/** What the shop with sendonce sends. */
export function orderRequest(
  { path, profile }: Mechanism,
  cart: number,
  typed: Cart,
): SubmitRequest<Ordered> {
  const moves = path.includes(':id')
  return {
    url: path.replace(':id', nameOf(cart)),
    json: moves ? { ...typed, version: FIRST_VERSION } : typed,
    profile,
    // Not for the shop, which knows it by other means: so that the ledger can say which cart it was.
    headers: { 'x-operation': operationOf(cart) },
  }
}

const FIRST_VERSION = 1

/** What is moved through states has to be there before. */
export async function prepareCart({ name }: Mechanism, cart: number): Promise<void> {
  if (name !== 'state') return
  const { states } = await server.tables()
  if (states.some(({ id }) => id === nameOf(cart))) return
  await server.putState(nameOf(cart), 'PENDING', FIRST_VERSION)
}

function nameOf(cart: number): string {
  return `cart-${cart}`
}
