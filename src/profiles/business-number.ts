import { mintKey } from '../key.ts'
import type { Envelope } from './envelope.ts'
import { readAs } from './envelope.ts'
import { IN_PROGRESS_RULES } from './idempotency-key.ts'
import type { Place, ServerProfile, Verdict } from './profile.ts'
import type { RecoverAt } from './recover-at.ts'
import { recoverableAt } from './recover-at.ts'
import type { Signs } from './sign.ts'
import { rulesFor } from './sign.ts'

/** What {@link businessNumber} can be told about a server. */
export interface BusinessNumberOptions {
  /** Where the number goes. @default { body: '/order_no' } */
  readonly place?: Place
  /**
   * What a new number begins with: scene, business and action (`trade_pay_`). It is cut where fewer than 16 random
   * characters would be left behind it. A number of your own goes into the `key` of a submit. @default ''
   */
  readonly prefix?: string
  /** Of a number, in characters. @default 32 characters, the least maximum known (WeChat Pay, Amazon Pay) */
  readonly maxLength?: number
  /** What a number has to match. @default letters, digits, `_` and `-` */
  readonly pattern?: RegExp
  /**
   * What a number that is there already is answered with. `replay`: what exists, in the shape of the first answer,
   * checked against the user. `reject`: a refusal. @default 'replay'
   */
  readonly guarantee?: 'replay' | 'reject'
  /** How that answer is known. @default a 2xx as the first one for `replay`, `{ status: 409 }` for `reject` */
  readonly exists?: Signs
  /** For a server that answers everything with 200. @default answers are read by their status */
  readonly envelope?: Envelope
  /** How long the number stays unique, in milliseconds. @default 2_592_000_000 (30 days; an index keeps it for ever) */
  readonly ttlMs?: number
  /** How to ask what a number stands for. @default nobody can be asked */
  readonly recover?: RecoverAt
}

const THIRTY_DAYS_MS = 2_592_000_000

/** 95 random bits. Fewer could be guessed, or meet. */
const LEAST_RANDOM_LENGTH = 16

/**
 * A number of the business (`order_no`, `out_trade_no`) under a unique index: insert, and on a violation read what
 * exists. It names the thing, not the attempt, so that a refused one goes on with the same number.
 *
 * Sources: https://pay.wechatpay.cn/doc/v3/partner/4012760633 (`out_trade_no`, at most 32 of `0-9A-Za-z_-|*`);
 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html (a token in the body, the latest state
 * back).
 */
export function businessNumber({
  place = { body: '/order_no' },
  prefix = '',
  maxLength = 32,
  pattern = /^[\w-]+$/,
  guarantee = 'replay',
  exists = guarantee === 'replay' ? [] : { status: 409 },
  envelope,
  ttlMs = THIRTY_DAYS_MS,
  recover,
}: BusinessNumberOptions = {}): ServerProfile {
  const begin = prefix.slice(0, maxLength - LEAST_RANDOM_LENGTH)
  const known: Verdict =
    guarantee === 'replay' ? { is: 'success', replayed: true } : { is: 'duplicate' }
  return recoverableAt(recover, {
    id: `business-number:${Object.entries(place)}`,
    guarantee,
    key: { place, mint: () => (begin + mintKey()).slice(0, maxLength), maxLength, pattern },
    ttlMs,
    failureKey: 'keep',
    ...readAs(envelope, [...IN_PROGRESS_RULES, ...rulesFor(exists, known)]),
  })
}
