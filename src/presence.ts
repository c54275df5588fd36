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

/**
 * Whether a document that is at an operation lives, as far as can be seen from another. One that is gone holds no lock;
 * a frozen one does, and counts until its lease is over.
 */
export async function lives(platform: Platform, phase: Phase): Promise<boolean> {
  if (phase.is !== 'sending' && phase.is !== 'waiting') return false
  const now = platform.now()
  if (phase.is === 'sending') {
    if (now >= phase.leaseUntil) return false
    // In the back-forward cache, or without locks: its request may go on.
    if (!phase.locked) return true
  } else if (!platform.tryLock) return now < phase.nextAttemptAt + LATE_MS
  return (await platform.heldLocks()).has(nameOf(phase.owner))
}
