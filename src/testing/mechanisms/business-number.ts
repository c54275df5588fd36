import type { Place } from '../places.ts'
import type { Mechanism } from './mechanism.ts'
import { busy, placeOf, titleOf, without } from './mechanism.ts'

/** A number of the business under a unique index: insert, and on a violation read what exists. */
export interface NumberOptions {
  readonly is: 'number'
  /** Where it is. @default { body: '/order_no' } */
  readonly place?: Place
  /** Whether a repeat is answered with the order that exists (200), or refused as a `duplicate`. @default 'replay' */
  readonly repeat?: 'replay' | 'reject'
}

export function businessNumber(options: NumberOptions): Mechanism {
  const { place = { body: '/order_no' }, repeat = 'replay' } = options
  const subject = titleOf(place)
  return {
    names: { businessNumber: place },

    take(rows, asked) {
      const { businessNumber: number, principal, fingerprint, delivery, finishesAt } = asked
      if (!number) return without(asked, subject)
      const at = placeOf(principal, number)
      const row = rows.numbers.get(at)
      if (!row) {
        const taken = { principal, number, fingerprint, delivery, finishesAt }
        rows.numbers.set(at, { ...taken, status: 'processing', orderId: undefined })
        return { is: 'taken', undo: () => rows.numbers.delete(at) }
      }
      if (row.fingerprint !== fingerprint) {
        return { is: 'answered', answer: asked.say({ word: 'mismatch', subject }) }
      }
      const existing = rows.orders.find(({ id }) => id === row.orderId)
      if (!existing) return busy(asked, subject, row.finishesAt)
      const data = asked.replyOf(existing)
      return repeat === 'replay'
        ? {
            is: 'answered',
            answer: asked.say({ word: 'done', status: 200, data }),
            replayed: true,
          }
        : { is: 'answered', answer: asked.say({ word: 'duplicate', subject, data }) }
    },

    // The index is part of the transaction that places the order: a crash leaves both, or neither.
    finish(rows, { delivery, order }) {
      for (const [at, row] of rows.numbers) {
        if (row.delivery !== delivery) continue
        if (order) rows.numbers.set(at, { ...row, status: 'done', orderId: order.id })
        else rows.numbers.delete(at)
      }
    },

    look(rows, principal, name, value) {
      const row =
        name === 'businessNumber' ? rows.numbers.get(placeOf(principal, value)) : undefined
      return row && { state: row.status, finishesAt: row.finishesAt }
    },
  }
}
