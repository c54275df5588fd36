import type { ShopName } from './journal.ts'

/** Presses the buttons that a person would press. */

const SHOPS: readonly ShopName[] = ['sendonce', 'plain']

function buttonOf(shop: ShopName): HTMLButtonElement {
  const button = document.querySelector<HTMLButtonElement>(`.shop[data-shop=${shop}] .primary`)
  if (!button) throw new Error(`The shop "${shop}" has no button.`)
  return button
}

export function press(shop: ShopName): void {
  const button = buttonOf(shop)
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) {
    button.animate([{}, { scale: 0.96 }, {}], { duration: 220 })
  }
  button.click()
}

export function pressBoth(): void {
  for (const shop of SHOPS) press(shop)
}

/** Waits for an answer, or for the next attempt. */
export function isBusy(shop: ShopName): boolean {
  return buttonOf(shop).ariaBusy === 'true'
}

export function isOrdered(shop: ShopName): boolean {
  return buttonOf(shop).ariaDisabled === 'true' && !isBusy(shop)
}

/** Where it was not ordered and nothing is under way. */
export function pressAgain(shops: readonly ShopName[] = SHOPS): void {
  for (const shop of shops) if (!isBusy(shop) && !isOrdered(shop)) press(shop)
}
