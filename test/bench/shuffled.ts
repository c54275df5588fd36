/** In an order drawn by lot: Fisher and Yates. */
export function shuffled<T>(items: readonly T[]): T[] {
  const left = [...items]
  return items.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0] as T)
}
