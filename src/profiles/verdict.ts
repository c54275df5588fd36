import type { Verdict } from './profile.ts'

const KINDS: readonly Verdict['is'][] = [
  'success',
  'failure',
  'not-executed',
  'in-progress',
  'pending',
  'conflict',
  'duplicate',
  'mismatch',
  'unknown',
]

const REASONS: readonly unknown[] = ['unauthorized', 'rate-limited', 'unavailable', 'token-expired']

/** Whether it is one that can be obeyed: what a profile says has no type left once it runs, and goes into a record. */
export function isVerdict(said: Verdict | undefined): boolean {
  if (!said || !KINDS.includes(said.is)) return false
  return (
    (said.is !== 'not-executed' || REASONS.includes(said.because)) &&
    (!('waitMs' in said) || said.waitMs === undefined || typeof said.waitMs === 'number')
  )
}
