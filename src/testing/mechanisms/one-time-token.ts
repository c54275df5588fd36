import type { TokenRow } from '../mechanism-rows.ts'
import type { Place } from '../places.ts'
import type { Word } from '../say.ts'
import type { Rows } from '../tables.ts'
import { MAX_LOGGED } from '../tables.ts'
import type { Aside, Mechanism } from './mechanism.ts'
import { titleOf, without } from './mechanism.ts'

/** A token that the server issues, and that the request which carries it spends: one atomic `GETDEL`. */
export interface TokenOptions {
  readonly is: 'token'
  /** `GET` or `POST` it. @default '/api/token' */
  readonly path?: string
  /** The JSON that issues a token, in an envelope its `data`. @default { token, expiresInMs } */
  readonly reply?: (token: string, lifetimeMs: number) => unknown
  /** In milliseconds. @default 600_000, 10 minutes */
  readonly lifetimeMs?: number
  /** Where the request carries it. @default { header: 'x-idempotent-token' } */
  readonly place?: Place
  /**
   * Whether it keeps what it knows of a token that is gone, and says `token-used`, `token-expired` or `token-unknown`.
   * Without, all three are a `duplicate`.
   * @default false
   */
  readonly tellsExpired?: boolean
  /** Whether a token whose request had no effect (refused, or failed without a crash) is good again. @default false */
  readonly putsBack?: boolean
}

const TEN_MINUTES_MS = 600_000
const TOKEN_BYTES = 16

export function oneTimeToken(options: TokenOptions): Mechanism {
  const { place = { header: 'x-idempotent-token' }, tellsExpired = false } = options
  const subject = titleOf(place)

  const putBack = (rows: Rows, delivery: number) => {
    const row = spentBy(rows, delivery)
    if (row) rows.tokens.set(row.token, { ...row, spentAt: undefined, spentBy: undefined })
  }

  return {
    names: { token: place },
    asides: [issuing(options)],

    take(rows, asked) {
      const { token, principal, delivery, now } = asked
      if (!token) return without(asked, subject)
      const row = rows.tokens.get(token)
      const mine = row?.principal === principal ? row : undefined
      if (!mine || mine.spentBy !== undefined || mine.expiresAt <= now) {
        const word = tellsExpired ? whyNot(mine) : 'duplicate'
        return { is: 'answered', answer: asked.say({ word, subject: 'token' }) }
      }
      rows.tokens.set(token, { ...mine, spentAt: now, spentBy: delivery })
      // A token in Redis is no part of the database's transaction: what is refused after it leaves it spent.
      return options.putsBack
        ? { is: 'taken', undo: () => putBack(rows, delivery) }
        : { is: 'taken' }
    },

    finish(rows, { delivery, how, order }) {
      if (options.putsBack && !order && how !== 'crashed') putBack(rows, delivery)
    },

    look(rows, principal, name, value) {
      const row = name === 'token' ? rows.tokens.get(value) : undefined
      if (row?.principal !== principal || row.spentBy === undefined) return undefined
      const work = rows.work.get(row.spentBy)
      if (work) return { state: 'processing', finishesAt: work.finishesAt }
      // It may have been spent on the repeat of something that another token had done.
      const replayed = rows.deliveries.get(row.spentBy)?.effect === 'replayed'
      return { state: replayed ? 'done' : 'failed', finishesAt: undefined }
    },
  }
}

function issuing(options: TokenOptions): Aside {
  const { path = '/api/token', lifetimeMs = TEN_MINUTES_MS, reply } = options
  return {
    methods: ['GET', 'POST'],
    path,
    answer(rows, { principal, now, say }) {
      const bytes = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))
      const token = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
      const expiresAt = now + lifetimeMs
      rows.tokens.set(token, {
        token,
        principal,
        issuedAt: now,
        expiresAt,
        spentAt: undefined,
        spentBy: undefined,
      })
      const [oldest] = rows.tokens.keys()
      if (rows.tokens.size > MAX_LOGGED && oldest !== undefined) rows.tokens.delete(oldest)
      const data = reply ? reply(token, lifetimeMs) : { token, expiresInMs: lifetimeMs }
      return say({ word: 'done', status: 200, data })
    },
  }
}

/** Used comes before expired: of a token that is both it matters that it may have had an effect. */
function whyNot(row: TokenRow | undefined): Word {
  if (!row) return 'token-unknown'
  return row.spentBy === undefined ? 'token-expired' : 'token-used'
}

function spentBy(rows: Rows, delivery: number): TokenRow | undefined {
  return [...rows.tokens.values()].find(row => row.spentBy === delivery)
}
