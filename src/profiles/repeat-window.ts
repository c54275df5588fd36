import type { Envelope } from './envelope.ts'
import { readAs } from './envelope.ts'
import type { ServerProfile } from './profile.ts'
import type { Signs } from './sign.ts'
import { rulesFor } from './sign.ts'

/** What {@link repeatWindow} can be told about a server. */
export interface RepeatWindowOptions {
  /** How long a repeat is refused, in milliseconds. @default 5_000 */
  readonly windowMs?: number
  /** How a repeat is refused. @default { body: { '/code': 500, '/msg': /重复提交/ } } */
  readonly duplicate?: Signs
  /** `false` for a server that answers with statuses. @default { success: 200, unauthorized: 401 } */
  readonly envelope?: Envelope | false
}

/** `interval` of RuoYi's `@RepeatSubmit`. */
const WINDOW_MS = 5_000

/** Nothing is ever sent again by itself, so that this only bounds how long a pause can be taken up. */
const TTL_MS = 86_400_000

/**
 * An annotation that refuses the same user, URL and body for some seconds, and executes them again after that. There
 * is no key. After an attempt without an answer nothing is sent again, neither by itself nor by hand: within the
 * window it would be refused although it went through, after it it would run twice.
 *
 * Sources: yangzongzhuan/RuoYi-Vue a6ea55e, `@RepeatSubmit` (5 s, 200 with `code` 500 and a text). Others say it with
 * another code: YunaiV/ruoyi-vue-pro e4e460d, `@Idempotent` (1 s, 900); xxm1995/bootx-platform 1600ed3 (10 s, 10007).
 */
export function repeatWindow({
  windowMs = WINDOW_MS,
  duplicate = { body: { '/code': 500, '/msg': /重复提交/ } },
  envelope = { success: 200, unauthorized: 401 },
}: RepeatWindowOptions = {}): ServerProfile {
  return {
    id: 'repeat-window',
    guarantee: 'window',
    key: null,
    ttlMs: TTL_MS,
    failureKey: 'rotate',
    ...readAs(envelope || undefined, rulesFor(duplicate, { is: 'duplicate' })),
    // What was refused as too much (429) has opened the window all the same.
    pace: { minDelayMs: windowMs },
  }
}
