import type { DedupeRow } from '../mechanism-rows.ts'
import type { Place } from '../places.ts'
import type { Rows } from '../tables.ts'
import type { Asked, Finished, Mechanism, Taken } from './mechanism.ts'
import { busy, placeOf, titleOf, without } from './mechanism.ts'

/** A row per key with its first answer: draft-ietf-httpapi-idempotency-key-header, and request ids in envelopes. */
export interface DedupeOptions {
  readonly is: 'dedupe'
  /** Where the key is. @default { header: 'idempotency-key' } */
  readonly key?: Place
  /** How long a key is remembered, in milliseconds. @default the server's `keyTtlMs` */
  readonly ttlMs?: number
  /** Whether a refused order stays refused under its key, or the key may run again. @default by the server's `storeRefusals` */
  readonly afterRefusal?: 'stays' | 'runs-again'
  /**
   * Whether the row is written in one transaction with the order. In two, a crash between them leaves it "processing"
   * until the key expires.
   * @default 'one'
   */
  readonly transactions?: 'one' | 'two'
  /** The header that says `true` of an answer that was given before; false: none. @default 'idempotent-replayed' */
  readonly marker?: string | false
}

export function dedupeTable(options: DedupeOptions & { readonly ttlMs: number }): Mechanism {
  const { key = { header: 'idempotency-key' }, marker = 'idempotent-replayed' } = options
  const subject = titleOf(key)

  const repeat = (row: DedupeRow, asked: Asked): Taken => {
    if (row.fingerprint !== asked.fingerprint) {
      return { is: 'answered', answer: asked.say({ word: 'mismatch', subject }) }
    }
    if (!row.answer) return busy(asked, subject, row.finishesAt)
    const headers = { ...row.answer.headers, ...(marker && { [marker]: 'true' }) }
    return { is: 'answered', answer: { ...row.answer, headers }, replayed: true }
  }

  const ended = (row: DedupeRow, { how, order, answer }: Finished): DedupeRow | undefined => {
    if (how === 'crashed' && options.transactions === 'two') return row
    if (!answer || (how === 'crashed' && !order)) return undefined
    if (how !== 'refused')
      return { ...row, status: answer.status < 300 ? 'done' : 'failed', answer }
    return { ...row, status: 'failed', answer: runsAgain(options) ? undefined : answer }
  }

  return {
    names: { key },

    take(rows, asked) {
      if (!asked.key) return without(asked, subject)
      forgetExpired(rows, asked.now)
      const place = placeOf(asked.principal, asked.key)
      const row = rows.dedupe.get(place)
      if (row && !(row.status === 'failed' && !row.answer)) return repeat(row, asked)
      rows.dedupe.set(place, {
        principal: asked.principal,
        key: asked.key,
        fingerprint: asked.fingerprint,
        status: 'processing',
        answer: undefined,
        delivery: asked.delivery,
        finishesAt: asked.finishesAt,
        expiresAt: asked.now + options.ttlMs,
      })
      return {
        is: 'taken',
        undo: () => (row ? rows.dedupe.set(place, row) : rows.dedupe.delete(place)),
      }
    },

    finish(rows, finished) {
      for (const [place, row] of rows.dedupe) {
        if (row.delivery !== finished.delivery || row.status !== 'processing') continue
        const next = ended(row, finished)
        if (next) rows.dedupe.set(place, next)
        else rows.dedupe.delete(place)
      }
    },

    look(rows, principal, name, value) {
      const row = name === 'key' ? rows.dedupe.get(placeOf(principal, value)) : undefined
      return row && { state: row.status, finishesAt: row.finishesAt }
    },
  }
}

function runsAgain({ afterRefusal }: DedupeOptions): boolean {
  return afterRefusal === 'runs-again'
}

/** Work that is under way keeps its key for as long as it takes. */
function forgetExpired(rows: Rows, now: number): void {
  for (const [place, row] of rows.dedupe) {
    if (row.expiresAt <= now && !rows.work.has(row.delivery)) rows.dedupe.delete(place)
  }
}
