import { createClient } from 'sendonce'

export interface Cart {
  readonly id: string
  readonly item: string
  readonly amount: number
}

export interface Order {
  readonly id: string
}

/** One for the whole app. `scope` says who is signed in: yours asks your session. */
export const api = createClient({ scope: () => 'ada' })
