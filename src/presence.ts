import type { Platform, Release } from './platform.ts'
import type { Phase } from './record.ts'

/** A timer of the page that waits may be late by this before the page counts as gone; only where there are no locks. */
const LATE_MS = 5_000

/** With locks: the timers of a hidden page come once a minute; one that is later than this is frozen, or was left. */
const THROTTLED_MS = 90_000

/**
 * The name of the Web Lock that a document holds while it lives. By it other tabs see that whoever left a record is
 * gone, between two attempts too, when no lock of an operation is held.
 */
function nameOf(owner: string): string {
  return `sendonce:page:${owner}`
}

/** The note of documents that went into the back-forward cache with a request on its way: their leases, by owner. */
const CACHED = 'sendonce:cached'

/** A lease: until when (wall clock), and how long it is at most. */
export interface Lease {
  readonly leaseUntil: number
  readonly leaseMs: number
}

/**
 * Those of the note whose lease is not over, nor longer than it can be, which says that the clock was set back. Whatever
 * else stands there is left out, and goes with the next write.
 */
function cached({ notes, now }: Platform): Map<string, Lease> {
  try {
    const noted: [string, Lease][] = Object.entries(JSON.parse(notes.get(CACHED) ?? '{}'))
    return new Map(
      noted.filter(([, { leaseUntil, leaseMs }]) => {
        const leftMs = leaseUntil - now()
        return leftMs > 0 && leftMs <= leaseMs
      }),
    )
  } catch {
    return new Map()
  }
}

/**
 * Says that this document's request goes on although its locks are let go, until the lease is over; undefined takes
 * that back. A note and no record, because no transaction gets to its end in `pagehide`, and an open one throws the page
 * out of the cache (measured); a lock kept there does the same when somebody asks for it.
 */
export function noteCached(platform: Platform, owner: string, lease?: Lease): void {
  const noted = cached(platform)
  const before = noted.get(owner)
  if (!lease && !before) return
  if (!lease) noted.delete(owner)
  else if (!before || before.leaseUntil < lease.leaseUntil) noted.set(owner, lease)
  const note = noted.size > 0 ? JSON.stringify(Object.fromEntries(noted)) : undefined
  platform.notes.set(CACHED, note)
}

/** Whether a document is there: it lives, or lies in the back-forward cache with a request on its way. */
export async function isThere(platform: Platform, owner: string): Promise<boolean> {
  return cached(platform).has(owner) || (await platform.heldLocks()).has(nameOf(owner))
}

/** A phase that somebody is at. */
type Owned = Extract<Phase, { owner: string }>

/** Whether somebody is seen to be at an operation: a document that is there, but a frozen one no longer than its lease. */
export async function isUnderWay(platform: Platform, phase: Owned): Promise<boolean> {
  const waiting = phase.is === 'waiting'
  const [until, longestMs] = waiting
    ? [phase.nextAttemptAt + LATE_MS, phase.waitMs + LATE_MS]
    : [phase.leaseUntil, phase.leaseMs]
  const leftMs = until - platform.now()
  if (waiting ? platform.tryLock : phase.locked) {
    return leftMs > (waiting ? -THROTTLED_MS : 0) && isThere(platform, phase.owner)
  }
  // Without a lock to see it by the time has to do; more of it than there can be says that the clock was set back.
  return leftMs > 0 && leftMs <= longestMs
}

/** That this document is here: for other tabs by a lock, and for people since they were last shown it. */
export interface Presence {
  /** This document holds the lock that others see it live by. */
  present(): boolean
  /** Settles when that lock was granted or refused: a claim that is made before says to others that it cannot be seen. */
  appeared(): Promise<unknown> | undefined
  /** Remembers when this page was last shown to a person; called later it says so by the wall clock of then. */
  shown(): () => number
  /** Another page has said something after this one was shown, at this time of the wall clock. */
  heard(sentAt: number): void
  close(): void
}

/** Appears now, and again whenever the page comes back from the back-forward cache. `onShown`: a person may look. */
export function createPresence(platform: Platform, owner: string, onShown: () => void): Presence {
  let shown: { at: number; readonly since: number }
  let letGo: Release | undefined
  let appearing: Promise<unknown> | undefined
  let closed = false

  const look = () => {
    shown = { at: platform.now(), since: platform.monotonic() }
    onShown()
  }
  const appear = () => {
    noteCached(platform, owner)
    appearing = lockOf(platform, owner).then(
      release => {
        letGo = release
        if (closed) release?.()
      },
      () => {},
    )
    look()
  }
  const stops = [
    platform.on('show', appear),
    platform.on('visible', look),
    platform.on('hide', () => {
      letGo = undefined
    }),
  ]
  appear()
  return {
    present: () => letGo !== undefined,
    appeared: () => appearing,
    // By the own clock too: one that was set back would make what was told since look older than this. The earliest that
    // it ever said: what was told while it was behind stays later, though it was set right again.
    shown() {
      const page = shown
      const look = () => {
        page.at = Math.min(page.at, platform.now() - (platform.monotonic() - page.since))
        return page.at
      }
      look()
      return look
    },
    // A clock that was behind when something was told, and was set right again, has left no other trace here.
    heard(sentAt) {
      if (sentAt < shown.at) shown.at = sentAt
    },
    close() {
      closed = true
      letGo?.()
      for (const stop of stops) stop()
    },
  }
}

/** Held until the document is closed, dies, or goes into the back-forward cache. */
async function lockOf(platform: Platform, owner: string): Promise<Release | undefined> {
  return platform.tryLock?.(nameOf(owner))
}
