import { defaultParse, toResponse } from './answer.ts'
import { inTime } from './in-time.ts'
import type { Outcome, Paused, Refused, Succeeded, Unknown, View } from './lifecycle.ts'
import { knownOf, unsettledOf } from './lifecycle.ts'
import type { Platform } from './platform.ts'
import type { OperationRecord, Settled } from './record.ts'
import { isSettled } from './record.ts'
import type { Ending } from './turn.ts'

/** What a caller makes of a response. */
export type Parse = (response: Response) => unknown

/** How long a `parse` is waited for: it has all it needs, and an operation must not stay under way for ever. */
const PARSE_LIMIT_MS = 30_000
const PARSE_LATE = 'parse did not settle in time.'

/** What a page knows beside the record. */
export interface Context extends View {
  readonly platform: Pick<Platform, 'now' | 'timer'>
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
  // Nobody is at it any more.
  const snapshot = unsettledOf(record, { ...context, running: undefined, alive: false })
  // A page that is gone was fetching its token: nothing had left.
  if (snapshot.state === 'idle') {
    return { ...knownOf(record, context), state: 'paused', reason: 'token' }
  }
  const response = answer && toResponse(answer)
  return { ...(snapshot as Paused | Unknown), response, cause }
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
      data = defaultParse(answer, context.profile?.data)
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
      ? await inTime(parse(toResponse(answer)), PARSE_LIMIT_MS, PARSE_LATE, context.platform)
      : defaultParse(answer, context.profile?.data)
    return { ...outcome, data }
  } catch (parseError) {
    return { ...outcome, parseError }
  }
}

/** Nobody is signed in: nothing was minted. */
export function signedOut(context: Context): Paused {
  return { ...nothingKnown(context), state: 'paused', reason: 'scope' }
}

/** What lies in the store cannot be read, and still occupies its operation. */
export function unreadable(context: Context): Unknown {
  return {
    ...nothingKnown(context),
    state: 'unknown',
    reason: 'unreadable',
    resumable: false,
    recoverable: false,
  }
}

function nothingKnown({ operation, platform }: Context) {
  return {
    operation,
    key: undefined,
    attempts: 0,
    startedAt: platform.now(),
    durable: false,
  }
}
