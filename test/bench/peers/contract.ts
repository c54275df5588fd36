/** What is ordered. The number of the cart is what the server counts effects by; it tells no repeat by it. */
export interface Order {
  readonly cart: number
  readonly item: string
  readonly amount: number
  readonly address: string
  readonly note: string
}

/** What a person reads on the page. `unknown` is a message with the same button as `error` has. */
export type Shown = 'idle' | 'pending' | 'success' | 'error' | 'unknown'

/** A page with one form, whatever it sends with. */
export interface Shop {
  /** Orders past the form; resolves when the library says that it is ordered. */
  send(order: Order): Promise<unknown>
  /** Shows the form of another cart. */
  begin(cart: number): void
  /** Resolves when nothing of the last order is left to do. */
  idle(): Promise<unknown>
  /** Whether the page says that an earlier order is open and offers to go on with it. */
  asks(): boolean
}

declare global {
  interface Window {
    shop: Shop
    /** Fills the form in and presses the button, again after every message that is no success, so often at most. */
    person: (cart: number, mostPresses: number) => Promise<Shown>
    /** What the page says now. */
    shown: () => Shown
    /** Puts values into the form. The button is pressed from outside. */
    fillIn: (cart: number) => void
    /** One order by each arm in an order drawn by lot, so many times. */
    times: (arms: readonly string[], rounds: number, pauseMs: number) => Promise<readonly Sample[]>
  }
}

/** Milliseconds by the clock of the page. */
export interface Sample {
  readonly arm: string
  readonly cart: number
  readonly fromMs: number
  readonly tookMs: number
}
