import type { StateRow } from '../mechanism-rows.ts'
import type { Place, Pointer } from '../places.ts'
import { pointed, readPlace } from '../places.ts'
import type { Finding } from '../say.ts'
import type { Rows } from '../tables.ts'
import type { Aside, Asked, Mechanism, Taken } from './mechanism.ts'
import { busy } from './mechanism.ts'

/**
 * An order with a state and a version, moved by `UPDATE … SET state = to, version = version + 1 WHERE id = ? AND state =
 * from AND version = ?`. What is there already is a success.
 */
export interface StateOptions {
  readonly is: 'state'
  /** The state that an order has to be in. @default 'PENDING' */
  readonly from?: string
  /** The state that it is moved to. @default 'PAID' */
  readonly to?: string
  /** Which order. @default { path: 'id' }, for a route such as `/api/orders/:id/pay` */
  readonly id?: Place
  /** Where the JSON says the version that is expected; the header `If-Match` goes before. @default '/version' */
  readonly version?: Pointer
  /** Where the JSON says the state that is expected, if it does. @default '/state' */
  readonly state?: Pointer
  /** States that are never left: a refusal, whatever version is expected. @default ['CANCELLED', 'REFUNDED'] */
  readonly final?: readonly string[]
}

const FIRST_VERSION = 1

/** A state that an order begins with. */
export interface BeginningState {
  /** Such as `PENDING`. */
  readonly state: string
  /** Counts its moves. @default 1 */
  readonly version?: number
}

export function stateMachine(options: StateOptions, route: string): Mechanism {
  const { from = 'PENDING', to = 'PAID', id: place = { path: 'id' } } = options
  const { final = ['CANCELLED', 'REFUNDED'] } = options

  const find = (rows: Rows, id: string | undefined): StateRow | undefined =>
    id === undefined
      ? undefined
      : (rows.states.get(id) ??
        (rows.orders.some(order => order.id === id)
          ? { id, state: from, version: FIRST_VERSION, movedBy: undefined }
          : undefined))

  const judge = (row: StateRow, asked: Asked): Taken | undefined => {
    const refuse = (finding: Finding, row: StateRow): Taken => ({
      is: 'answered',
      answer: asked.say({ subject: 'order', data: shown(row), ...finding }),
    })
    if (row.state === to) {
      return { is: 'answered', answer: asked.say(answerOf(row)), replayed: true }
    }
    if (final.includes(row.state)) return refuse({ word: 'final' }, row)
    const ifMatch = /^(?:W\/)?"?([^"]*)"?$/.exec(asked.headers['if-match'] ?? '')?.[1]
    const version = ifMatch || pointed(asked.fields, options.version ?? '/version')
    if (version === undefined) {
      return { is: 'answered', answer: asked.say({ word: 'missing', subject: 'version' }) }
    }
    const state = pointed(asked.fields, options.state ?? '/state') ?? row.state
    if (String(version) !== String(row.version) || state !== row.state) {
      return refuse({ word: 'changed', ...(ifMatch && { status: 412 }) }, row)
    }
    return row.state === from ? undefined : refuse({ word: 'final' }, row)
  }

  return {
    asides: 'path' in place ? [reading(route, place.path, find)] : [],

    take(rows, asked) {
      const id = readPlace(place, asked)
      const row = find(rows, id)
      if (id === undefined || !row) {
        return { is: 'answered', answer: asked.say({ word: 'not-found', subject: 'order' }) }
      }
      const work = row.movedBy === undefined ? undefined : rows.work.get(row.movedBy)
      if (work) return busy(asked, 'order', work.finishesAt)
      const judged = judge(row, asked)
      if (judged) return judged
      rows.states.set(id, { ...row, movedBy: asked.delivery })
      return { is: 'taken', undo: () => rows.states.set(id, row) }
    },

    reply(rows, { delivery }) {
      const row = movedBy(rows, delivery)
      return row && answerOf(moved(row, to))
    },

    // Moved in the transaction of its effect: a crash leaves both, or neither.
    finish(rows, { delivery, order }) {
      const row = movedBy(rows, delivery)
      if (row) rows.states.set(row.id, order ? moved(row, to) : { ...row, movedBy: undefined })
    },
  }
}

/** `GET /api/orders/:id` of `/api/orders/:id/pay`. */
function reading(
  route: string,
  part: string,
  find: (rows: Rows, id: string | undefined) => StateRow | undefined,
): Aside {
  const upTo = route.indexOf(`:${part}`) + part.length + 1
  return {
    methods: ['GET'],
    path: route.slice(0, upTo),
    answer(rows, { parts, say }) {
      const row = find(rows, parts[part])
      return say(row ? answerOf(row) : { word: 'not-found', subject: 'order' })
    },
  }
}

/** Orders that an option names begin, and after a reset begin again, as it says. */
export function beginStates(rows: Rows, states: Readonly<Record<string, BeginningState>>): void {
  for (const [id, { state, version = FIRST_VERSION }] of Object.entries(states)) {
    if (!rows.states.has(id)) rows.states.set(id, { id, state, version, movedBy: undefined })
  }
}

function answerOf(row: StateRow): Finding {
  return { word: 'done', status: 200, data: shown(row), headers: { etag: `"${row.version}"` } }
}

function shown({ id, state, version }: StateRow): Pick<StateRow, 'id' | 'state' | 'version'> {
  return { id, state, version }
}

function moved(row: StateRow, to: string): StateRow {
  return { ...row, state: to, version: row.version + 1, movedBy: undefined }
}

function movedBy(rows: Rows, delivery: number): StateRow | undefined {
  return [...rows.states.values()].find(row => row.movedBy === delivery)
}
