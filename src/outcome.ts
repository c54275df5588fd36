import { defaultParse, toResponse } from './answer.ts'
import type { Outcome, Paused, Refused, Succeeded, Unknown, View } from './lifecycle.ts'
import { knownOf, unsettledOf } from './lifecycle.ts'
import type { Platform } from './platform.ts'
import type { JsonPointer } from './profiles/profile.ts'
import type { OperationRecord, Settled } from './record.ts'
import { isSettled } from './record.ts'
import type { Parse } from './running.ts'
import { limited } from './running.ts'
import type { Ending } from './turn.ts'

/** What a page knows beside the record. */
export interface Context extends View {
  readonly now: number
  readonly platform: Pick<Platform, 'timer'>
  /** Where the record's profile keeps the result in an envelope. */
  readonly data: JsonPointer | undefined
}

/** What an ending tells a caller, as its `parse` reads it. */
export async function outcomeOf(
  ending: Ending,
  parse: Parse | undefined,
  context: Context,
): Promise<Outcome<unknown>> {
  const { record } = ending
  if (!record) return signedOut(context)
  return isSettled(record)
    ? settledOutcome(record, ending, parse, context)
    : endedOutcome(record, ending, context)
}

/** Paused or unknown, with the last answer where this page got one. */
export function endedOutcome(
  record: OperationRecord,
  { answer, cause }: Ending,
  context: Context,
): Paused | Unknown {
  const snapshot = unsettledOf(record, {
    ...context,
    here: false,
    alive: false,
    queued: false,
    turn: undefined,
  })
  // A page that is gone was fetching its token: nothing had left.
  if (snapshot.state === 'idle')
    return { ...knownOf(record, context), state: 'paused', reason: 'token' }
  if (snapshot.state !== 'paused' && snapshot.state !== 'unknown') {
    throw new TypeError(`A turn cannot end as ${snapshot.state}.`)
  }
  return {
    ...snapshot,
    ...(answer ? { response: toResponse(answer) } : {}),
    ...(cause === undefined ? {} : { cause }),
  }
}

async function settledOutcome(
  record: Settled,
  ending: Ending,
  parse: Parse | undefined,
  context: Context,
): Promise<Succeeded<unknown> | Refused> {
  const { phase } = record
  const answer = ending.answer ?? phase.answer
  const response = toResponse(answer)
  const known = knownOf(record, context)
  if (phase.is === 'refused') {
    let data: unknown
    try {
      data = defaultParse(answer, context.data)
    } catch {
      // Called JSON and is none.
    }
    return { ...known, state: 'refused', response, data }
  }
  const bodyLost = phase.bodyLost && !ending.answer?.body
  const outcome = {
    ...known,
    state: 'succeeded' as const,
    response,
    from: ending.stored ? ('store' as const) : phase.from,
    news: ending.stored === true && record.toldAt === undefined,
    bodyLost,
    data: undefined,
  }
  if (bodyLost) return outcome
  try {
    // A response of its own: `clone` costs eight times as much (measured).
    const data = parse
      ? await limited(parse, context.platform)(toResponse(answer))
      : defaultParse(answer, context.data)
    return { ...outcome, data }
  } catch (parseError) {
    return { ...outcome, parseError }
  }
}

/** Nobody is signed in: nothing was minted. */
export function signedOut({ operation, now }: Pick<Context, 'operation' | 'now'>): Paused {
  return { ...nothingKnown(operation, now), state: 'paused', reason: 'scope' }
}

/** What lies in the store cannot be read, and still occupies its operation. */
export function unreadable({ operation, now }: Pick<Context, 'operation' | 'now'>): Unknown {
  return {
    ...nothingKnown(operation, now),
    state: 'unknown',
    reason: 'unreadable',
    resumable: false,
    recoverable: false,
  }
}

function nothingKnown(operation: string, now: number) {
  return { operation, key: undefined, attempts: 0, startedAt: now, durable: false }
}
