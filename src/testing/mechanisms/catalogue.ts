import type { AcceptedOptions } from './accepted-work.ts'
import { acceptedWork } from './accepted-work.ts'
import type { NumberOptions } from './business-number.ts'
import { businessNumber } from './business-number.ts'
import type { DedupeOptions } from './dedupe-table.ts'
import { dedupeTable } from './dedupe-table.ts'
import type { LockOptions } from './expiring-lock.ts'
import { expiringLock } from './expiring-lock.ts'
import type { Mechanism } from './mechanism.ts'
import type { TokenOptions } from './one-time-token.ts'
import { oneTimeToken } from './one-time-token.ts'
import type { WindowOptions } from './repeat-window.ts'
import { repeatWindow } from './repeat-window.ts'
import type { RequestIdOptions } from './request-id.ts'
import { requestId } from './request-id.ts'
import type { StateOptions } from './state-machine.ts'
import { stateMachine } from './state-machine.ts'

/** One way for a server to execute a request once. */
export type MechanismOptions =
  | TokenOptions
  | DedupeOptions
  | NumberOptions
  | StateOptions
  | LockOptions
  | WindowOptions
  | AcceptedOptions
  | RequestIdOptions

/** A mechanism, or in short the name of one with nothing but defaults. */
export type MechanismInput = MechanismOptions | MechanismOptions['is']

/** What the server says for all routes. */
export interface MechanismDefaults {
  readonly keyTtlMs: number
  readonly storeRefusals: boolean
  readonly requestIdHeader: string
}

/** Throws a TypeError on a mechanism that does not exist. */
export function mechanism(
  input: MechanismInput,
  route: string,
  defaults: MechanismDefaults,
): Mechanism {
  const options = typeof input === 'string' ? ({ is: input } as MechanismOptions) : input
  switch (options.is) {
    case 'token':
      return oneTimeToken(options)
    case 'dedupe':
      return dedupeTable({
        ttlMs: defaults.keyTtlMs,
        afterRefusal: defaults.storeRefusals ? 'stays' : 'runs-again',
        ...options,
      })
    case 'number':
      return businessNumber(options)
    case 'state':
      return stateMachine(options, route)
    case 'lock':
      return expiringLock(options)
    case 'window':
      return repeatWindow(options)
    case 'accepted':
      return acceptedWork(options)
    case 'request-id':
      return requestId({ header: defaults.requestIdHeader, ...options })
    default:
      throw new TypeError(
        `No mechanism is called "${(options as { is: unknown }).is}": use one of ${NAMES.join(', ')}.`,
      )
  }
}

const NAMES = [
  'token',
  'dedupe',
  'number',
  'state',
  'lock',
  'window',
  'accepted',
  'request-id',
] as const satisfies readonly MechanismOptions['is'][]
