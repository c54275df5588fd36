import type { RetryPolicy } from './decide.ts'
import type { Presence } from './presence.ts'
import type { ServerProfile } from './profiles/profile.ts'
import type { Told } from './told.ts'
import type { Engine } from './turn.ts'

/** What operations ask of their client beside what loops do. */
export interface Host extends Engine, Pick<Presence, 'shown'> {
  readonly name: string
  readonly defaultProfile: ServerProfile
  readonly policy: RetryPolicy
  readonly onStorageFailure: 'memory' | 'refuse'
  readonly joinMs: number
  readonly told: Told
  register(profile: ServerProfile): void
  /** Counts as going on until it settles. */
  track(work: Promise<unknown>): void
}
