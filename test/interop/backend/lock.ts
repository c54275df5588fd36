import { randomUUID } from 'node:crypto'
import { dedupeTable, earlierAnswer } from './dedupe-table.ts'
import type { Mechanism } from './mechanism.ts'
import { inProgress, missing } from './mechanism.ts'

/** Less than slow work takes: the lock runs out under its holder, and the unique index is what holds. */
const LOCK_MS = 300

/** Deletes the lock if it is still one's own: after it has run out it may be another's. */
const RELEASE = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  return 0
`

/** An expiring lock around the dedupe table, so that a repeat is told at once that the first is being processed. */
export const lock: Mechanism = async (asked, tools) => {
  const { person, key } = asked
  if (!key) return missing('Idempotency-Key')
  const earlier = await earlierAnswer(asked, tools)
  if (earlier) return earlier

  const redis = tools.redis()
  const name = `lock:${JSON.stringify([person, key])}`
  const mine = randomUUID()
  if (!(await redis.set(name, mine, 'PX', LOCK_MS, 'NX'))) return inProgress()
  try {
    // Looked at again: whoever had the lock before may be done by now.
    return (await earlierAnswer(asked, tools)) ?? (await dedupeTable(asked, tools))
  } finally {
    // Where that fails the lock runs out by itself.
    await redis.eval(RELEASE, 1, name, mine).catch(() => {})
  }
}
