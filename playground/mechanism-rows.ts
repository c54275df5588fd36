import type { DedupeRow, MechanismTables } from 'sendonce/testing'
import type { MechanismName } from './mechanisms.ts'
import type { ServerView } from './mock/view.ts'
import { times } from './words.ts'

/** A row as it is shown: what it is known by, and a cell for each further column. */
export interface Row {
  readonly id: string
  readonly tag: string
  readonly cells: readonly string[]
}

const ANSWERED = ['State', 'Its answer', 'Seen'] as const

export const COLUMNS: { readonly [name in MechanismName]: readonly string[] } = {
  keys: ['Key', ...ANSWERED],
  token: ['Token', 'State', 'Spent by', 'Seen'],
  envelope: ['Request id', ...ANSWERED],
  number: ['Number', 'State', 'Its order', 'Seen'],
  state: ['Cart', 'State', 'Version', 'Seen'],
  lock: ['Key', ...ANSWERED],
  'request-id': ['Request id', 'Service', 'State', 'Seen'],
  window: ['Order', 'State', 'Sent to', 'Seen'],
}

const STATES = { processing: 'working on it', done: 'done', failed: 'not accepted' } as const

/** The table behind a mechanism, oldest row first. */
export function rowsOf(name: MechanismName, { tables, deliveries }: ServerView): readonly Row[] {
  const seen = (known: (delivery: ServerView['deliveries'][number]) => boolean) =>
    times(deliveries.filter(known).length)
  switch (name) {
    case 'keys':
    case 'envelope':
    case 'lock': {
      const mark = name === 'envelope' ? 'envelope' : name === 'lock' ? 'locked' : 'orders'
      return tables.dedupe.filter(isAt(mark)).map(row => ({
        id: row.key,
        tag: row.key,
        cells: [
          isLocked(row, tables) ? 'locked' : STATES[row.status],
          answerOf(row),
          seen(({ key, requestId }) => key === row.key || requestId === row.key),
        ],
      }))
    }
    case 'token':
      return tables.tokens.map(({ token, spentAt, spentBy }) => ({
        id: token,
        tag: token,
        cells: [
          spentAt === undefined ? 'good for one' : 'spent',
          spentBy === undefined ? '' : `request ${spentBy}`,
          seen(delivery => delivery.token === token),
        ],
      }))
    case 'number':
      return tables.numbers.map(({ number, status, orderId }) => ({
        id: number,
        tag: number,
        cells: [
          STATES[status],
          orderId ?? 'none yet',
          seen(({ businessNumber }) => businessNumber === number),
        ],
      }))
    case 'state':
      return tables.states.map(({ id, state, version }) => ({
        id,
        tag: id,
        cells: [state, String(version), seen(({ path }) => path === `/api/carts/${id}/pay`)],
      }))
    case 'request-id':
      return tables.calls.map(({ requestId, service, status }) => ({
        id: `${requestId} ${service}`,
        tag: requestId,
        cells: [service, STATES[status], seen(delivery => delivery.requestId === requestId)],
      }))
    case 'window':
      return tables.windows.map(({ fingerprint, path, delivery }) => ({
        id: `${delivery}`,
        tag: fingerprint,
        cells: [
          'refuses repeats',
          path.replace('/api/', ''),
          seen(({ number }) => number === delivery),
        ],
      }))
  }
}

/** Rows of several routes share the table: a fingerprint begins with method and path. */
function isAt(mark: string): (row: DedupeRow) => boolean {
  return ({ fingerprint }) => fingerprint.split(' ')[1]?.split('/')[2] === mark
}

function isLocked({ key }: DedupeRow, { locks }: MechanismTables): boolean {
  return locks.some(({ name }) => name === key)
}

function answerOf({ answer }: DedupeRow): string {
  if (!answer) return 'none yet'
  const said = JSON.parse(answer.body) as {
    readonly id?: string
    readonly detail?: string
    readonly data?: { readonly id?: string }
    readonly message?: string
  }
  return said.data?.id ?? said.id ?? said.detail ?? said.message ?? ''
}
