import type { Mechanism } from './mechanism.ts'
import { placeOf } from './mechanism.ts'

/** An annotation that refuses the same person, address and body for some seconds, and then executes it again. */
export interface WindowOptions {
  readonly is: 'window'
  /** In milliseconds. @default 5_000, as in RuoYi */
  readonly windowMs?: number
  /** Whether a request without an effect opens the window again at once. @default false */
  readonly clearsOnFailure?: boolean
}

const FIVE_SECONDS_MS = 5_000

export function repeatWindow(options: WindowOptions): Mechanism {
  const { windowMs = FIVE_SECONDS_MS, clearsOnFailure = false } = options
  return {
    take(rows, { principal, path, fingerprint, delivery, now, say }) {
      for (const [at, row] of rows.windows) if (row.expiresAt <= now) rows.windows.delete(at)
      const at = placeOf(principal, fingerprint)
      if (rows.windows.has(at)) return { is: 'answered', answer: say({ word: 'duplicate' }) }
      const expiresAt = now + windowMs
      rows.windows.set(at, { principal, path, fingerprint, delivery, openedAt: now, expiresAt })
      // It is set before anything is known of the request, outside of any transaction.
      return { is: 'taken', ...(clearsOnFailure && { undo: () => rows.windows.delete(at) }) }
    },

    finish(rows, { delivery, how, order }) {
      if (!clearsOnFailure || order || how === 'crashed') return
      for (const [at, row] of rows.windows) if (row.delivery === delivery) rows.windows.delete(at)
    },
  }
}
