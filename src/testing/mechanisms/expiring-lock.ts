import type { Place } from '../places.ts'
import { readPlace } from '../places.ts'
import type { Rows } from '../tables.ts'
import type { Mechanism } from './mechanism.ts'
import { busy, placeOf } from './mechanism.ts'

/**
 * A lock with an expiry around the work: `SET NX PX`. It keeps two deliveries from running at once, and remembers
 * nothing: put a table behind it, which is looked at after the lock was taken.
 */
export interface LockOptions {
  readonly is: 'lock'
  /** What is locked, for each principal. Where it is absent, the path. @default { header: 'idempotency-key' } */
  readonly on?: Place
  /** The lock falls away after so many milliseconds, whether or not the work is finished. @default 10_000 */
  readonly expiryMs?: number
  /** Whether it is prolonged while the work goes on. @default false */
  readonly watchdog?: boolean
}

const TEN_SECONDS_MS = 10_000

export function expiringLock(options: LockOptions): Mechanism {
  const { on = { header: 'idempotency-key' }, expiryMs = TEN_SECONDS_MS, watchdog } = options

  const drop = (rows: Rows, delivery: number) => {
    for (const [at, row] of rows.locks) if (row.delivery === delivery) rows.locks.delete(at)
  }

  return {
    take(rows, asked) {
      const { principal, delivery, now } = asked
      for (const [at, row] of rows.locks) {
        const kept = watchdog && rows.work.has(row.delivery)
        if (row.expiresAt <= now && !kept) rows.locks.delete(at)
      }
      const name = readPlace(on, asked) ?? asked.path
      const at = placeOf(principal, name)
      const held = rows.locks.get(at)
      if (held) return busy(asked, 'lock', held.expiresAt)
      rows.locks.set(at, { principal, name, delivery, takenAt: now, expiresAt: now + expiryMs })
      return { is: 'taken', undo: () => drop(rows, delivery) }
    },

    // Its own lock only: after the expiry it may be another's. A dead process unlocks nothing.
    finish(rows, { delivery, how }) {
      if (how !== 'crashed') drop(rows, delivery)
    },
  }
}
