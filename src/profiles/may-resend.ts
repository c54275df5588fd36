import type { ServerProfile } from './profile.ts'

/** Whether a second delivery of the same key is harmless, so that it may be sent again after a lost reply. */
export function mayResend({ guarantee }: Pick<ServerProfile, 'guarantee'>): boolean {
  return guarantee === 'replay' || guarantee === 'reject'
}
