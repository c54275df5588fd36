import type { CallRow } from '../mechanism-rows.ts'
import type { Rows } from '../tables.ts'
import type { Mechanism } from './mechanism.ts'
import { busy, placeOf, titleOf, without } from './mechanism.ts'

/**
 * A global request id that is passed down to every service: each of them keeps one row for (request id, service,
 * method), and does its part once. A repeat is answered with the order that exists.
 */
export interface RequestIdOptions {
  readonly is: 'request-id'
  /** What carries it. @default 'x-request-id' */
  readonly header?: string
  /** Who it is passed down to. The first one places the order. @default ['orders', 'payments', 'stock'] */
  readonly services?: readonly string[]
}

export function requestId(options: RequestIdOptions): Mechanism {
  const { header = 'x-request-id', services = ['orders', 'payments', 'stock'] } = options
  const subject = titleOf({ header })
  return {
    names: { requestId: { header } },

    take(rows, asked) {
      const { requestId, principal, method, delivery, finishesAt } = asked
      if (!requestId) return without(asked, subject)
      const places = services.map(service => placeOf(requestId, service, method))
      const call = places.map(at => rows.calls.get(at)).find(Boolean)
      if (call) {
        if (call.principal !== principal) {
          return { is: 'answered', answer: asked.say({ word: 'duplicate', subject }) }
        }
        const order = rows.orders.find(placed => placed.delivery === call.delivery)
        if (!order) return busy(asked, subject, call.finishesAt)
        const answer = asked.say({ word: 'done', status: 200, data: asked.replyOf(order) })
        return { is: 'answered', answer, replayed: true }
      }
      for (const [index, service] of services.entries()) {
        const row = { requestId, service, method, principal, delivery, finishesAt }
        rows.calls.set(places[index] ?? '', { ...row, status: 'processing' })
      }
      return { is: 'taken', undo: () => drop(rows, delivery) }
    },

    finish(rows, { delivery, order }) {
      if (!order) return drop(rows, delivery)
      for (const [at, row] of callsOf(rows, delivery))
        rows.calls.set(at, { ...row, status: 'done' })
    },

    look(rows, principal, name, value) {
      if (name !== 'requestId') return undefined
      const row = [...rows.calls.values()].find(call => call.requestId === value)
      return row?.principal === principal
        ? { state: row.status, finishesAt: row.finishesAt }
        : undefined
    },
  }
}

function callsOf(rows: Rows, delivery: number): readonly (readonly [string, CallRow])[] {
  return [...rows.calls].filter(([, row]) => row.delivery === delivery)
}

function drop(rows: Rows, delivery: number): void {
  for (const [at] of callsOf(rows, delivery)) rows.calls.delete(at)
}
