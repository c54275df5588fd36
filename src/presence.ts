import type { Platform, Release } from './platform.ts'
import type { Phase } from './record.ts'

/** A timer of the page that waits may be late by this before the page counts as gone; only where there are no locks. */
const LATE_MS = 5_000

/**
 * The name of the Web Lock that a document holds while it lives. By it other tabs see that whoever left a record is
 * gone, between two attempts too, when no lock of an operation is held.
 */
function nameOf(owner: string): string {
  return `sendonce:page:${owner}`
}

/** Says that this document lives, until it is closed, dies, or goes into the back-forward cache. */
export async function appear(platform: Platform, owner: string): Promise<Release | undefined> {
  return platform.tryLock?.(nameOf(owner))
}

/** The note of documents that went into the back-forward cache with a request on its way: until when, by owner. */
const CACHED = 'sendonce:cached'

/** Those of the note whose lease is not over. Whatever else stands there is left out, and goes with the next write. */
function cached({ notes, now }: Platform): Map<string, number> {
  try {
    const noted: [string, unknown][] = Object.entries(JSON.parse(notes.get(CACHED) ?? '{}'))
    return new Map(noted.filter((one): one is [string, number] => Number(one[1]) > now()))
  } catch {
    return new Map()
  }
}

/**
 * Says that this document's request goes on although its locks are let go, until the lease is over; undefined takes
 * that back. A note and no record, because no transaction gets to its end in `pagehide`, and an open one throws the page
 * out of the cache (measured); a lock kept there does the same when somebody asks for it.
 */
export function noteCached(platform: Platform, owner: string, leaseUntil?: number): void {
  const noted = cached(platform)
  if (leaseUntil !== undefined) noted.set(owner, Math.max(leaseUntil, noted.get(owner) ?? 0))
  else if (!noted.delete(owner)) return
  const note = noted.size > 0 ? JSON.stringify(Object.fromEntries(noted)) : undefined
  platform.notes.set(CACHED, note)
}

/**
 * Whether a document that is at an operation lives, as far as can be seen from another. One that is gone holds no lock;
 * a frozen one does, and counts until its lease is over.
 */
export async function lives(platform: Platform, phase: Phase): Promise<boolean> {
  if (phase.is !== 'sending' && phase.is !== 'waiting') return false
  const now = platform.now()
  if (phase.is === 'sending') {
    const leftMs = phase.leaseUntil - now
    if (leftMs <= 0) return false
    // Without a lock to see it by the lease has to do; one that is longer than it can be says that the clock was set back.
    if (!phase.locked || cached(platform).has(phase.owner)) return leftMs <= phase.leaseMs
  } else if (!platform.tryLock) {
    const leftMs = phase.nextAttemptAt - now
    return leftMs > -LATE_MS && leftMs <= phase.waitMs
  }
  return (await platform.heldLocks()).has(nameOf(phase.owner))
}
