import ky from 'ky'
import type { KyLike, Outcome, RetryPolicy, ServerProfile, SubmitRequest } from 'sendonce'
import { createClient } from 'sendonce'
import { expect } from 'vitest'
import type { Fault } from './backend/faults.ts'
import type { Backend } from './one-backend.ts'

/** Hardly any waiting, more attempts than a cell has crashes, and time enough on a machine that is busy. */
export const RETRY: RetryPolicy = {
  maxAttempts: 100,
  attemptTimeoutMs: 10_000,
  deadlineMs: 60_000,
  baseDelayMs: 10,
  maxDelayMs: 500,
}

/** An attempt, in milliseconds, where nothing else ends it. */
const IMPATIENT_MS = 500
const IMPATIENT: readonly Fault[] = ['slow', 'hang', 'hang-after-effect']

/** How many operations a cell has. */
export const OPERATIONS: number = process.env.LONG ? 200 : 20

/** How many of them are under way at once. */
const AT_ONCE = 20

let names = 0

/** Names that nothing else in the database has. */
export function operationNames(count: number = OPERATIONS): readonly string[] {
  names += 1
  const prefix = `${process.pid}-${Date.now().toString(36)}-${names}`
  return Array.from({ length: count }, (_, at) => `${prefix}-${at}`)
}

/** One way to do it once, and one thing that goes wrong with it. */
export interface Cell {
  readonly profile: ServerProfile
  /** Of the request that has the effect, as the back end names it. */
  readonly route: string
  /** What goes wrong with the first deliveries of an operation; the operations take turns with these. */
  readonly faults: readonly (readonly Fault[])[]
  readonly request: (operation: string) => SubmitRequest & { readonly key?: string }
  /** @default {@link OPERATIONS} new ones */
  readonly operations?: readonly string[]
  /** Before anything is sent. */
  readonly prepare?: (operations: readonly string[]) => Promise<void>
  readonly person?: (operation: string) => string
  readonly retry?: Partial<RetryPolicy>
  /** What every client is issued, in place of a token of its own. */
  readonly token?: string
  readonly atOnce?: number
}

/** How an operation ended, and what it did. */
export interface Ended {
  readonly operation: string
  readonly outcome: Outcome<unknown>
  readonly effects: number
}

/** Submits every operation of a cell, each from a browser of its own, and counts what they did. */
export async function play(backend: Backend, cell: Cell): Promise<readonly Ended[]> {
  const { operations = operationNames(), route, faults, atOnce = AT_ONCE } = cell
  await cell.prepare?.(operations)
  if (faults.length > 0) await backend.breaks(operations, route, faults)
  const impatient = faults.flat().some(fault => IMPATIENT.includes(fault))
  const retry = { ...(impatient && { attemptTimeoutMs: IMPATIENT_MS }), ...cell.retry }
  const outcomes = new Map<string, Outcome<unknown>>()
  const waiting = [...operations]
  const worker = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      outcomes.set(each, await submitAlone(backend, { ...cell, retry }, each))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const effects = await backend.effects(operations)
  return operations.map(operation => ({
    operation,
    outcome: outcomes.get(operation) as Outcome<unknown>,
    effects: effects.get(operation) ?? 0,
  }))
}

/**
 * So often a person who is told that nothing happened yet, or that nobody knows, asks again, and after so long: more
 * often than the process can die, which it does once for each operation at most.
 */
const PATIENCE = 2 * OPERATIONS
const ASK_AGAIN_MS = 250

/** Submits an operation from a browser of its own. Where it pauses it is resumed; where it can be asked for it is. */
export async function submitAlone(
  backend: Backend,
  { profile, request, retry, person = () => 'ada', token }: Omit<Cell, 'faults'>,
  operation: string,
): Promise<Outcome<unknown>> {
  const headers = { 'x-operation': operation, 'x-person': person(operation) }
  const real = ky.create({ baseUrl: backend.origin, headers })
  const client = createClient({
    scope: person(operation),
    storage: 'memory',
    profile,
    ky: (url, options) =>
      token !== undefined && String(url).endsWith('/api/token')
        ? Promise.resolve(Response.json({ token }))
        : (real as KyLike)(url, options),
    retry: { ...RETRY, ...retry },
  })
  try {
    const handle = client.operation(operation)
    let outcome = await handle.submit(request(operation))
    for (let turn = 0; turn < PATIENCE; turn += 1) {
      const { state } = outcome
      if (state !== 'paused' && !(state === 'unknown' && outcome.recoverable)) break
      await new Promise(resolve => setTimeout(resolve, ASK_AGAIN_MS))
      outcome = await (state === 'paused' ? handle.resume() : handle.recover())
    }
    return outcome
  } finally {
    await client.idle()
    client.close()
  }
}

/** What must hold of every cell, whatever went wrong: an effect for a success, none for a no, never two. */
export function expectOnce(ended: readonly Ended[]): void {
  const wrong = ended.filter(({ outcome, effects }) =>
    outcome.state === 'unknown' ? effects > 1 : effects !== (outcome.state === 'succeeded' ? 1 : 0),
  )
  expect(wrong).toEqual([])
}

/** How often each ending was had: `{ succeeded: 18, 'unknown:token-spent': 2 }`. */
export function tally(ended: readonly Ended[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { outcome } of ended) {
    const reason = 'reason' in outcome ? `:${outcome.reason}` : ''
    const name = `${outcome.state}${reason}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}
