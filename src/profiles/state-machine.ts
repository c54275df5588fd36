import type { Codes } from './envelope.ts'
import { IN_PROGRESS_RULES } from './idempotency-key.ts'
import type { JsonPointer, Rule, ServerProfile } from './profile.ts'
import { NOT_OURS } from './read.ts'
import type { RecoverAt } from './recover-at.ts'
import { recoverableAt } from './recover-at.ts'
import type { Sign } from './sign.ts'
import { rulesFor, SUCCESSFUL } from './sign.ts'

/** What {@link stateMachine} can be told about a server. */
export interface StateMachineOptions {
  /** The states that say that the move was made, or that things went further since: `['PAID', 'SHIPPED']`. */
  readonly reached: Codes
  /** Where an answer has the state. @default '/state' */
  readonly state?: JsonPointer
  /** The move is under way. @default none */
  readonly moving?: Codes
  /** End states: the move can never be made any more, whatever status says so. @default none */
  readonly ended?: Codes
  /** How to ask for the state; an answer that says `reached` is a success. @default nobody can be asked */
  readonly recover?: RecoverAt
}

/** A move from a state that was left can be tried at any time; after a day a person has to look. */
const TTL_MS = 86_400_000

/**
 * A state machine with an optimistic lock: `UPDATE … SET status = 'PAID', version = version + 1 WHERE id = ? AND
 * status = 'PENDING' AND version = ?`. There is no key: expected state and version are in the body (or `If-Match`),
 * and make a repeat harmless. "Already there" is a success in whatever status it is said; a changed version (409,
 * 412) and an end state are refusals, for the person to see. It keeps no answers, so that a refusal speaks for its
 * own delivery only: after an attempt without an answer the version may have been changed by that.
 *
 * Sources: RFC 9110, 13.1.1 (`If-Match`: a server may answer 2xx where the change was made already) and 15.5.13
 * (412).
 */
export function stateMachine(options: StateMachineOptions): ServerProfile {
  const { reached, state = '/state', moving = [], ended = [], recover } = options
  const says = (states: Codes, sign: Sign = {}) =>
    [states].flat().map(value => ({ ...sign, body: { [state]: value } }))
  const rules: readonly Rule[] = [
    ...NOT_OURS,
    ...rulesFor(says(reached, { status: SUCCESSFUL }), { is: 'success' }),
    ...rulesFor(says(reached, { status: [409, 412, 422] }), { is: 'success', replayed: true }),
    ...rulesFor(says(moving), { is: 'in-progress' }),
    ...rulesFor(says(ended), { is: 'failure', said: 'origin' }),
    ...IN_PROGRESS_RULES,
    { status: [409, 412], then: { is: 'failure', said: 'origin' } },
    // Somewhere else, and nobody said that this is good or bad.
    ...rulesFor(says(/^/, { status: SUCCESSFUL }), { is: 'unknown' }),
  ]
  return recoverableAt(recover, {
    id: 'state-machine',
    guarantee: 'reject',
    key: null,
    ttlMs: TTL_MS,
    failureKey: 'rotate',
    rules,
  })
}
