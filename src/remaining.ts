import type { Snapshot, WaitReason } from './lifecycle.ts'

const ELSEWHERE: readonly WaitReason[] = ['offline', 'other-tab']

/**
 * Milliseconds until the next attempt, or until the next one may be asked for; 0 when it is due. Undefined where the
 * clock does not decide it: offline, and while another tab is at it.
 */
export function remainingMs(
  snapshot: Snapshot<unknown>,
  now: number = Date.now(),
): number | undefined {
  if (!('nextAttemptAt' in snapshot) || snapshot.nextAttemptAt === undefined) return undefined
  if (snapshot.state === 'waiting' && ELSEWHERE.includes(snapshot.reason)) return undefined
  return Math.max(0, snapshot.nextAttemptAt - now)
}
