import { keyInUse, keyMismatch, keyMissing } from '../answers.ts'
import type { DedupeRow, Rows } from '../tables.ts'
import type { Asked, Mechanism } from './mechanism.ts'

/** A row per key with its first answer: draft-ietf-httpapi-idempotency-key-header. */
export const dedupeTable: Mechanism = {
  take(rows, asked) {
    const { principal, key, route } = asked
    if (!key) {
      return route.requireKey === false ? undefined : { answer: keyMissing(), replayed: false }
    }
    forgetExpired(rows, asked.now)
    const place = JSON.stringify([principal, key])
    const row = rows.dedupe.get(place)
    if (row) return repeat(row, asked)
    const { fingerprint, delivery, finishesAt, expiresAt } = asked
    rows.dedupe.set(place, {
      principal,
      key,
      fingerprint,
      status: 'processing',
      answer: undefined,
      delivery,
      finishesAt,
      expiresAt,
    })
    return undefined
  },

  finish(rows, delivery, answer) {
    for (const [place, row] of rows.dedupe) {
      if (row.delivery !== delivery) continue
      if (answer) {
        rows.dedupe.set(place, { ...row, status: answer.status < 300 ? 'done' : 'failed', answer })
      } else {
        rows.dedupe.delete(place)
      }
    }
  },
}

function repeat(row: DedupeRow, asked: Asked): ReturnType<Mechanism['take']> {
  if (row.fingerprint !== asked.fingerprint) return { answer: keyMismatch(), replayed: false }
  if (!row.answer) {
    const seconds = Math.ceil((row.finishesAt - asked.now) / 1_000)
    return { answer: keyInUse(Math.max(1, seconds)), replayed: false }
  }
  const headers = { ...row.answer.headers, 'idempotent-replayed': 'true' }
  return { answer: { ...row.answer, headers }, replayed: true }
}

function forgetExpired(rows: Rows, now: number): void {
  for (const [place, row] of rows.dedupe) {
    if (row.expiresAt <= now && row.status !== 'processing') rows.dedupe.delete(place)
  }
}
