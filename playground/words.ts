export function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`
}

export function orders(count: number): string {
  return count === 1 ? '1 order' : `${count} orders`
}

/** `checkout:cart-42` for people. */
export function cartOf(operation: string | undefined): string {
  return `cart ${operation?.replace(/^.*cart-/, '') ?? ''}`
}
